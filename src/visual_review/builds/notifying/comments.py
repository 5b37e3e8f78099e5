"""The one comment of a pull request, and the comment of a rejection; pure.

Everything in them that others named stands in code or is written out as character references.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.builds.notifying.markup import attribute, code, quotation
from visual_review.builds.notifying.statuses import ORDER, ProductSummary, Verdict, worst_of

MOST_IMAGES: Final = 6
# Hosts take 65,536 characters and no more.
MOST_PRODUCTS: Final = 50
IMAGE_WIDTH: Final = 260
HEADINGS: Final[dict[Verdict, str]] = {
    "broken": "a build broke",
    "rejected": "changes were rejected",
    "failing": "screenshots failed",
    "due": "review needed",
    "running": "comparing",
    "good": "nothing to review",
}
RESULTS: Final[dict[Verdict, str]] = {
    "broken": "Broke",
    "rejected": "Rejected",
    "failing": "Screenshots failed",
    "due": "Review needed",
    "running": "Comparing",
    "good": "Approved",
}


@dataclass(frozen=True)
class ChangedImage:
    """A screenshot whose composite is shown; ``page`` is where to decide on it."""

    screenshot_id: str
    page: str
    product_key: str
    story_id: str
    story: str
    theme: str
    device: str
    state: str


@dataclass(frozen=True)
class Rejection:
    """A rejected screenshot with what the reviewer said."""

    reviewer: str
    story: str
    theme: str
    device: str
    page: str
    build: int
    comment: str


def by_urgency(pictures: Sequence[ChangedImage]) -> list[ChangedImage]:
    """Those that are shown, in order: one of each story before a second variant of any."""
    met: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, int, ChangedImage]] = []
    for picture in pictures:
        story = (picture.product_key, picture.story_id)
        turns.append((met[story], len(turns), picture))
        met[story] += 1
    return [picture for _, _, picture in sorted(turns, key=lambda turn: turn[:2])][:MOST_IMAGES]


def pull_request_comment(
    mark: str,
    product_summaries: Sequence[ProductSummary],
    pictures: Sequence[ChangedImage],
    address: Callable[[str], str],
) -> str:
    """``standings`` are the newest builds of each product; ``address`` leads to a composite."""
    parts = [
        mark,
        f"### Visual Review: {heading_of(product_summaries)}",
        _table(product_summaries),
        _carried(product_summaries),
        " ".join(_picture(picture, address) for picture in pictures[:MOST_IMAGES]),
        f"[Open the review]({worst_of(product_summaries).url})",
    ]
    return "\n\n".join(part for part in parts if part)


def rejection_comment(mark: str, rejection: Rejection) -> str:
    head = (
        f"**Visual Review: a screenshot was rejected** by {code(rejection.reviewer)}\n\n"
        f"{code(rejection.story)}, {rejection.theme}, {rejection.device}, "
        f"in [build {rejection.build}]({rejection.page}):"
    )
    return f"{mark}\n{head}\n\n{quotation(rejection.comment)}"


def heading_of(product_summaries: Sequence[ProductSummary]) -> str:
    """Where the pull request stands, in a few words."""
    worst = worst_of(product_summaries).verdict
    if worst == "good" and any(
        standing.review_state == "approved" for standing in product_summaries
    ):
        return "approved"
    return HEADINGS[worst]


def _table(product_summaries: Sequence[ProductSummary]) -> str:
    rows = [
        "| Product | Build | Result | Changed | New | Removed | Failed |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    # Keys of products hold neither bars nor ticks; in code no key looks like an address either.
    by_need = sorted(
        product_summaries, key=lambda found: (ORDER.index(found.verdict), found.product_key)
    )
    rows += [
        f"| {code(found.product_key)} | [{found.number}]({found.url}) | {_result(found)} "
        f"| {found.changed} | {found.new} | {found.removed} | {found.failed} |"
        for found in by_need[:MOST_PRODUCTS]
    ]
    more = len(product_summaries) - MOST_PRODUCTS
    return "\n".join(rows) + (f"\n\nAnd {more} more products." if more > 0 else "")


def _result(standing: ProductSummary) -> str:
    if standing.review_state == "not_required" and standing.verdict == "good":
        return "No visual changes"
    rejected = f", {standing.rejected} rejected" if standing.rejected else ""
    return f"{RESULTS[standing.verdict]}{rejected if standing.verdict != 'rejected' else ''}"


def _carried(product_summaries: Sequence[ProductSummary]) -> str:
    count = sum(standing.carried_over for standing in product_summaries)
    if not count:
        return ""
    many = "approvals were" if count > 1 else "approval was"
    return f"{count} {many} carried over: the very same change was approved before."


def _picture(picture: ChangedImage, address: Callable[[str], str]) -> str:
    name = f"{picture.story}, {picture.theme}, {picture.device}: {picture.state}"
    return (
        f'<a href="{picture.page}"><img src="{address(picture.screenshot_id)}" '
        f'width="{IMAGE_WIDTH}" alt="{attribute(name)}"></a>'
    )
