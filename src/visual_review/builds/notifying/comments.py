"""The summary comment on a pull request, and the comment on a rejection; pure.

Names and texts from users are put into code spans or escaped as character references.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.builds.deciders import CarriedApproval
from visual_review.builds.notifying.markup import code_span, escape_attribute, quote_block
from visual_review.builds.notifying.statuses import (
    ORDER,
    ProductSummary,
    Verdict,
    describe_capture,
    worst_of,
)
from visual_review.builds.states import APPROVED, NOT_REQUIRED

MAX_IMAGES: Final = 6
# Providers accept 65,536 characters at most.
MAX_PRODUCTS: Final = 50
IMAGE_WIDTH: Final = 260
# Whose approvals were carried over.
MAX_ORIGINS: Final = 5
ImageUrl = Callable[[str], str]
HEADINGS: Final[dict[Verdict, str]] = {
    "broken": "a build failed",
    "rejected": "changes were rejected",
    "failing": "screenshots failed",
    "due": "review needed",
    "unseen": "nothing was captured",
    "running": "comparing",
    "good": "nothing to review",
}
RESULTS: Final[dict[Verdict, str]] = {
    "broken": "Build failed",
    "rejected": "Rejected",
    "failing": "Screenshots failed",
    "due": "Review needed",
    "unseen": "Nothing captured",
    "running": "Comparing",
    "good": "Approved",
}


@dataclass(frozen=True)
class ChangedImage:
    """A screenshot shown by its composite; ``page`` is the URL to review the screenshot."""

    screenshot_id: str
    page: str
    product_key: str
    story_id: str
    story: str
    theme: str
    device: str
    state: str


@dataclass(frozen=True)
class ChangedGroup:
    """Screenshots with similar changes, or with changes that the branch did not cause."""

    name: str
    count: int
    # The most severe screenshot.
    image: ChangedImage
    # A few screenshots with the group's change and more besides, and the number of all.
    remainders: tuple[ChangedImage, ...] = ()
    remainder_count: int = 0
    is_alike: bool = True


@dataclass(frozen=True)
class ChangeOverview:
    """The changes shown in a comment: groups, and screenshots without a group."""

    groups: Sequence[ChangedGroup] = ()
    more_groups: int = 0
    images: Sequence[ChangedImage] = ()


@dataclass(frozen=True)
class Rejection:
    """A rejected screenshot with the reviewer's comment, also about ``more`` other screenshots.

    ``later`` are the reviewers and comments of later rejections of the same screenshot.
    """

    reviewer: str
    story: str
    theme: str
    device: str
    page: str
    build: int
    comment: str
    more: int = 0
    withdrawn: bool = False
    later: Sequence[tuple[str, str]] = ()


def select_images(images: Sequence[ChangedImage]) -> list[ChangedImage]:
    """Select the images to show: one of each story before a second variant of any."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked: list[tuple[int, int, ChangedImage]] = []
    for image in images:
        story = (image.product_key, image.story_id)
        ranked.append((seen[story], len(ranked), image))
        seen[story] += 1
    return [image for _, _, image in sorted(ranked, key=lambda rank: rank[:2])][:MAX_IMAGES]


def pull_request_comment(
    marker: str,
    product_summaries: Sequence[ProductSummary],
    changes: ChangeOverview,
    image_url: ImageUrl | None,
) -> str:
    """Return the comment on the newest build of each product.

    ``image_url`` returns the URL of a screenshot's composite; None for a comment without images.
    """
    parts = [
        marker,
        f"### Visual Review: {heading_of(product_summaries)}",
        _table(product_summaries),
        _removals(product_summaries),
        _carried(product_summaries),
        _groups(changes, image_url),
        _other_images(changes, image_url),
        f"[Open the review]({worst_of(product_summaries).url})",
    ]
    return "\n\n".join(part for part in parts if part)


def _groups(changes: ChangeOverview, image_url: ImageUrl | None) -> str:
    lines = []
    for group in changes.groups:
        image = f"<br>{_image(group.image, image_url)}" if image_url else ""
        lines.append(f"- {_group(group)}{image}")
    if changes.more_groups:
        lines.append(f"- And {changes.more_groups} more")
    return "\n".join(lines)


def _group(group: ChangedGroup) -> str:
    name = code_span(group.name)
    if group.count == 1:
        line = f"{_place(group.image)}: {name}"
    else:
        what = "alike" if group.is_alike else "screenshots"
        line = f"**{group.count} {what}**: {name}, such as {_place(group.image)}"
    if not group.remainder_count:
        return line
    named = ", ".join(f"[{_place(remainder)}]({remainder.page})" for remainder in group.remainders)
    more = group.remainder_count - len(group.remainders)
    rest = f" and {more} more" if more else ""
    return f"{line}; {group.remainder_count} with more changes: {named}{rest}"


def _place(image: ChangedImage) -> str:
    return f"{code_span(image.story)}, {image.theme}, {image.device}"


def _other_images(changes: ChangeOverview, image_url: ImageUrl | None) -> str:
    if image_url is None:
        return ""
    return " ".join(
        _image(image, image_url) for image in changes.images[: MAX_IMAGES - len(changes.groups)]
    )


def rejection_comment(marker: str, rejection: Rejection) -> str:
    """Return the comment; a withdrawn one keeps the reviewer's text, as others may refer to it."""
    count = rejection.more + 1
    rejected = "a screenshot was" if count == 1 else f"{count:,} screenshots were"
    what = "a rejection was withdrawn" if rejection.withdrawn else f"{rejected} rejected"
    others = f" and {rejection.more:,} more" if rejection.more else ""
    head = (
        f"**Visual Review: {what}** by {code_span(rejection.reviewer)}\n\n"
        f"{code_span(rejection.story)}, {rejection.theme}, {rejection.device}{others}, "
        f"in [build {rejection.build}]({rejection.page}):"
    )
    later = [
        f"Rejected again by {code_span(reviewer)}:\n\n{quote_block(comment)}"
        for reviewer, comment in rejection.later
        if comment.strip()
    ]
    return "\n\n".join([f"{marker}\n{head}", quote_block(rejection.comment), *later])


def heading_of(product_summaries: Sequence[ProductSummary]) -> str:
    """Return the state of the pull request in a few words."""
    worst = worst_of(product_summaries).verdict
    if worst == "good" and any(one.review_state == APPROVED for one in product_summaries):
        return "approved"
    return HEADINGS[worst]


def _table(product_summaries: Sequence[ProductSummary]) -> str:
    rows = [
        "| Product | Build | Result | Changed | New | Removed | Failed |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    # Product keys contain no bars or backticks; providers do not link code as URLs either.
    by_urgency = sorted(
        product_summaries, key=lambda row: (ORDER.index(row.verdict), row.product_key)
    )
    rows += [
        f"| {code_span(row.product_key)} | [{row.number}]({row.url}) | {_result(row)} "
        f"| {row.changed} | {row.new} | {row.removed} | {row.failed} |"
        for row in by_urgency[:MAX_PRODUCTS]
    ]
    more = len(product_summaries) - MAX_PRODUCTS
    return "\n".join(rows) + (f"\n\nAnd {more} more products." if more > 0 else "")


def _result(summary: ProductSummary) -> str:
    if summary.verdict in {"broken", "running"}:
        return RESULTS[summary.verdict]
    result = RESULTS[summary.verdict]
    if summary.review_state == NOT_REQUIRED and summary.verdict == "good":
        result = "No visual changes"
    if summary.rejected and summary.verdict != "rejected":
        result += f", {summary.rejected} rejected"
    return result + describe_capture(summary)


def _removals(product_summaries: Sequence[ProductSummary]) -> str:
    """Return the number of undecided removals: removals do not keep a build open."""
    waiting = ("due", "failing", "rejected")
    count = sum(each.removals_open for each in product_summaries if each.verdict in waiting)
    if not count:
        return ""
    screenshots = "screenshot is" if count == 1 else "screenshots are"
    return (
        f"{count} removed {screenshots} undecided. The approval of the last changed or new screenshot "
        "accepts undecided removals."
    )


def _carried(product_summaries: Sequence[ProductSummary]) -> str:
    count = sum(summary.carried_over for summary in product_summaries)
    if not count:
        return ""
    approvals = "approvals were" if count > 1 else "approval was"
    whose = _whose([each for summary in product_summaries for each in summary.carried_approvals])
    return f"{count} {approvals} carried over: the same change was approved before{whose}."


def _whose(approvals: Sequence[CarriedApproval]) -> str:
    if not approvals:
        return ""
    named = [
        f"{code_span(each.name)}{f' through a client that calls itself {code_span(each.client)}' if each.client else ''} "
        f"in {_origin(each)}"
        for each in approvals[:MAX_ORIGINS]
    ]
    more = len(approvals) - len(named)
    return f", by {'; '.join(named)}{f'; and {more} more' if more else ''}"


def _origin(approval: CarriedApproval) -> str:
    origin = approval.origin
    if origin is None:
        return "a build that was deleted"
    build = f"[build {origin.build_number}]({approval.page})"
    # Without a number sign, which would refer to an issue at some providers.
    return build if origin.pull_request is None else f"pull request {origin.pull_request}, {build}"


def _image(image: ChangedImage, image_url: ImageUrl) -> str:
    name = f"{image.story}, {image.theme}, {image.device}: {image.state}"
    return (
        f'<a href="{image.page}"><img src="{image_url(image.screenshot_id)}" '
        f'width="{IMAGE_WIDTH}" alt="{escape_attribute(name)}"></a>'
    )
