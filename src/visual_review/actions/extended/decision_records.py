"""Decisions on screenshots with their evidence, as results."""

from typing import Any, Self

from pydantic import Field

from visual_review.actions.build_results import Source
from visual_review.actions.schema import ActionResult, Timestamp
from visual_review.builds.deciders import name_person
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.reviewing.evidence import Evidence, describe_images, read_evidence
from visual_review.builds.states import Decision, DiffState, ReviewState
from visual_review.kernel.clock import rfc3339
from visual_review.variants import Device, Theme


class FetchedImageResult(ActionResult):
    """An image that was fetched before the decision, of the very pair that was decided."""

    form: str = Field(
        description="`sheet`, `composite`, `whole`, `before`, `after` or `diff`.",
        examples=["sheet"],
    )
    scale: float = Field(
        description="The largest scale of the shown image; 1 shows every pixel.", examples=[1.0]
    )
    before: str | None = Field(
        description="SHA-256 of the baseline's image, if it was visible.", examples=["9f86d081884c"]
    )
    after: str | None = Field(
        description="SHA-256 of the build's image, if it was visible.", examples=["60303ae22b99"]
    )


class EvidenceResult(ActionResult):
    """What a program had looked at when it decided."""

    client: str | None = Field(
        description="The program's name for itself; null if not given.",
        examples=["Claude Code"],
    )
    version: str | None = Field(
        description="The program's version; null if not given.", examples=["2.1.0"]
    )
    images: list[FetchedImageResult] = Field(
        description="The images fetched before by the same key or connection; empty for a "
        "decision without a look at the change."
    )
    summary: str = Field(description="The same in words.", examples=["looked at before and after"])

    @classmethod
    def of(cls, found: Evidence | None) -> Self | None:
        if found is None:
            return None
        images = [
            FetchedImageResult(
                form=image.form,
                scale=image.scale,
                before=image.before or None,
                after=image.after or None,
            )
            for image in found.images or ()
        ]
        return cls(
            client=found.client or None,
            version=found.version or None,
            images=images,
            summary=describe_images(found),
        )


class ShotDecisionResult(ActionResult):
    """The decision that stands on a screenshot."""

    number: int | None = Field(
        description="Number in the build, written `#12`; null for an unchanged screenshot.",
        examples=[12],
    )
    screenshot_id: str = Field(description="Its id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"])
    story_id: str = Field(description="Story of the screenshot.", examples=["card--default"])
    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    diff_state: DiffState = Field(description="How the screenshot differs.", examples=["changed"])
    decision: Decision = Field(description="The decision.", examples=["rejected"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    source: Source = Field(description="Source of the decision.", examples=["mcp"])
    client: str | None = Field(
        description="Name of the MCP client; null without one.", examples=["Claude Code"]
    )
    at: Timestamp | None = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])
    comment: str | None = Field(
        description="The comment; null without one.",
        examples=["The hover color is lost in dark."],
    )
    evidence: EvidenceResult | None = Field(
        description="The images that the program had looked at; null for decisions on the pages "
        "and for carried-over ones."
    )

    @classmethod
    def of(cls, shot: Screenshot, stored: dict[str, Any] | None) -> Self:
        return cls.model_validate(
            {
                "number": shot.number,
                "screenshot_id": shot.pk,
                "story_id": shot.story_id,
                "theme": shot.theme,
                "device": shot.device,
                "diff_state": shot.diff_state,
                "decision": shot.review_decision,
                "by": name_person(shot.decided_by_name),
                "source": shot.decision_source,
                "client": shot.decided_client or None,
                "at": rfc3339(shot.decided_at) if shot.decided_at else None,
                "comment": shot.comment or None,
                "evidence": EvidenceResult.of(read_evidence(stored)),
            }
        )


class BuildDecisionResult(ActionResult):
    """The decision on the build itself."""

    review_state: ReviewState = Field(description="The decision.", examples=["rejected"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    source: Source = Field(description="Source of the decision.", examples=["mcp"])
    client: str | None = Field(
        description="The program's name for itself; null if not given.",
        examples=["Claude Code"],
    )
    version: str | None = Field(
        description="The program's version; null if not given.", examples=["2.1.0"]
    )
    at: Timestamp | None = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])

    @classmethod
    def of(cls, build: Build, found: Evidence | None) -> Self | None:
        if not build.decision_source:
            return None
        client = found.client if found else build.decided_client
        return cls.model_validate(
            {
                "review_state": build.review_state,
                "by": name_person(build.decided_by_name),
                "source": build.decision_source,
                "client": client or None,
                "version": found.version or None if found else None,
                "at": rfc3339(build.decided_at) if build.decided_at else None,
            }
        )
