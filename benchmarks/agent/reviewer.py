"""The scripted reviewer: lists the changes, looks at images, decides; all over MCP."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from PIL import Image

from benchmarks.agent.costs import Reply
from benchmarks.agent.mcp_client import ReviewClient
from benchmarks.agent.rule import (
    APPROVED,
    REJECTED,
    SeenChange,
    choose_to_look_at,
    decide,
    explain,
    read_changes,
    read_cursor,
    read_seen,
)
from benchmarks.agent.sheets import count_number_tags

# A build of more changes is reviewed by groups.
LOOK_AT_ALL: Final = 48
OF_A_GROUP: Final = 2
IMAGE_TOKENS: Final = 15_000
REQUEST: Final = "scripted-review-1"
_IMAGE: Final = re.compile(r"^Image \d+: \w+, (?P<width>\d+)x(?P<height>\d+),")
_SHOWN: Final = re.compile(r"^#(?P<number>\d+) .*")
_SCALE: Final = re.compile(r", at (\d+)%")
_IN_PART: Final = "IN PART"


@dataclass(frozen=True)
class View:
    """The text of get_images on one screenshot: ``scale`` is 1 if every pixel is shown."""

    number: int
    scale: float
    complete: bool


@dataclass
class Review:
    """Everything the reviewer saw and decided."""

    changes: list[SeenChange] = field(default_factory=list)
    views: dict[int, View] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    decisions: dict[int, str] = field(default_factory=dict)

    @property
    def groups(self) -> dict[int, list[SeenChange]]:
        found: dict[int, list[SeenChange]] = {}
        for change in self.changes:
            found.setdefault(change.group, []).append(change)
        return found


async def review_build(client: ReviewClient, build_id: str) -> Review:
    """Decide the build by the fixed rule. Raises DemoError if a call returns an error."""
    review = Review()
    seen = await _list(client, build_id, review)
    await _look(client, build_id, review)
    review.decisions = {change.number: decide(change) for change in review.changes}
    await client.call(
        "review_changes",
        buildId=build_id,
        requestId=REQUEST,
        decisions=write_decisions(review),
        seen=seen,
    )
    return review


async def _list(client: ReviewClient, build_id: str, review: Review) -> str:
    cursor: str | None = ""
    seen = ""
    while cursor is not None:
        more = {"cursor": cursor} if cursor else {}
        reply = await client.call("list_changes", buildId=build_id, **more)
        review.changes += read_changes(reply.text)
        cursor, seen = read_cursor(reply.text), seen or read_seen(reply.text)
    return seen


async def _look(client: ReviewClient, build_id: str, review: Review) -> None:
    chosen: dict[str, Any] = {}
    if len(review.changes) > LOOK_AT_ALL:
        looked = choose_to_look_at(review.changes, OF_A_GROUP)
        chosen["screenshots"] = [f"#{change.number}" for change in looked]
    cursor: str | None = ""
    while cursor is not None:
        more = {"cursor": cursor} if cursor else {}
        reply = await client.call(
            "get_images", buildId=build_id, maxImageTokens=IMAGE_TOKENS, **chosen, **more
        )
        _read_views(reply, review)
        cursor = read_cursor(reply.text)


def _read_views(reply: Reply, review: Review) -> None:
    """Note the shown images, and compare the text about each image with its pixels."""
    images = iter(reply.images)
    numbers: list[int] = []
    image: Image.Image | None = None
    for line in [*reply.text.splitlines(), "Image 0: end, 0x0,"]:
        if head := _IMAGE.match(line):
            if image is not None and count_number_tags(image) < len(numbers):
                review.problems.append(f"An image does not show all of {numbers}.")
            numbers, image = [], next(images, None)
            size = (int(head["width"]), int(head["height"]))
            if image is not None and image.size != size:
                review.problems.append(f"An image has {image.size}, not {size} as announced.")
        elif shown := _SHOWN.match(line):
            numbers.append(int(shown["number"]))
            review.views[numbers[-1]] = read_view(line)


def read_view(line: str) -> View:
    """Return the scale in a line about a screenshot; no scale means all pixels."""
    found = _SHOWN.match(line)
    scale = _SCALE.search(line)
    return View(
        int(found["number"]) if found else 0,
        int(scale[1]) / 100 if scale else 1.0,
        _IN_PART not in line,
    )


def write_decisions(review: Review) -> list[dict[str, Any]]:
    """Approve whole groups by their number, and reject each other change with a comment."""
    approved: list[str] = []
    single: list[SeenChange] = []
    rejected: list[SeenChange] = []
    for number, changes in sorted(review.groups.items()):
        given = {review.decisions[change.number] for change in changes}
        if number and given == {APPROVED}:
            approved.append(f"G{number}")
            continue
        for change in changes:
            chosen = rejected if review.decisions[change.number] == REJECTED else single
            chosen.append(change)
    decisions: list[dict[str, Any]] = []
    if approved or single:
        decisions.append({"state": APPROVED, **_name(approved, single)})
    decisions += [
        {"state": REJECTED, **_name([], [change]), "comment": explain(change)}
        for change in rejected
    ]
    return decisions


def _name(groups: Sequence[str], changes: Sequence[SeenChange]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    if groups:
        named["groups"] = list(groups)
    if changes:
        named["screenshots"] = [f"#{change.number}" for change in changes]
    return named
