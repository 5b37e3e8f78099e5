"""Threads and their authors, as results and in the audit log."""

from typing import Self

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult, Timestamp
from visual_review.audit.log import Target
from visual_review.builds.deciders import name_person
from visual_review.builds.models import Comment, Thread
from visual_review.builds.threads.reading import ShownThread
from visual_review.builds.threads.writing import Author
from visual_review.kernel.clock import rfc3339
from visual_review.variants import Device, Theme


class CommentResult(ActionResult):
    """One comment of a thread."""

    id: str = Field(description="Its id.", examples=["comment_01jq3v8e6m5x0c2n9d4t7r1kze"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    client: str | None = Field(
        description="The writing program's name for itself; null on pages.",
        examples=["Claude Code"],
    )
    at: Timestamp = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])
    text: str = Field(
        description="The comment in Markdown; empty if it was deleted.",
        examples=["The hover color is lost in dark."],
    )

    @classmethod
    def of(cls, comment: Comment) -> Self:
        return cls(
            id=comment.pk,
            by=name_person(comment.author_name),
            client=comment.client or None,
            at=rfc3339(comment.created_at),
            text=comment.text,
        )


class PlaceResult(ActionResult):
    """A point of the image, in pixels."""

    x: int = Field(description="From the left.", examples=[120])
    y: int = Field(description="From the top.", examples=[48])


class ThreadResult(ActionResult):
    """An open thread about a story and variant."""

    id: str = Field(description="Its id.", examples=["thread_01jq3v8e6m5x0c2n9d4t7r1kzd"])
    screenshot_id: str | None = Field(
        description="The screenshot of the story and variant in this build; null without one.",
        examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"],
    )
    number: int | None = Field(
        description="The screenshot's number in the build; null without one.", examples=[12]
    )
    story_id: str = Field(description="The story.", examples=["card--default"])
    theme: Theme = Field(description="The theme.", examples=["light"])
    device: Device = Field(description="The device.", examples=["desktop"])
    place: PlaceResult | None = Field(
        description="The thread's point of the image; null for the whole image."
    )
    about_earlier_image: bool = Field(
        description="Whether it was written about other images than the screenshot has now.",
        examples=[False],
    )
    comments: list[CommentResult] = Field(description="The comments, oldest first.")

    @classmethod
    def of(cls, shown: ShownThread) -> Self:
        thread = shown.thread
        return cls.model_validate(
            {
                "id": thread.pk,
                "screenshot_id": shown.screenshot_id,
                "number": shown.number,
                "story_id": thread.story_id,
                "theme": thread.theme,
                "device": thread.device,
                "place": thread.place,
                "about_earlier_image": shown.is_earlier,
                "comments": [CommentResult.of(each) for each in shown.comments],
            }
        )


def author_of(caller: Caller) -> Author:
    return Author(caller.id, caller.name, "" if caller.channel == "web" else caller.client)


def thread_target(thread: Thread) -> Target:
    return Target("thread", thread.pk, f"{thread.story_id} {thread.theme} {thread.device}")
