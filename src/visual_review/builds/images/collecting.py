"""Collect the images of a request within its limits: tokens, bytes and screenshots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from visual_review.builds.images.forms import SIDES_OF_FORMS
from visual_review.builds.images.requested_images import (
    Form,
    MissingImage,
    PlannedImage,
    RequestedImage,
    explain_missing,
    render_planned,
)
from visual_review.builds.images.sides import SingleSide, sides_of
from visual_review.builds.models import Screenshot
from visual_review.builds.states import FAILED
from visual_review.imagediff.rendering.thumbnails import MOST_BYTES
from visual_review.kernel.errors import InvalidInputError

# The texts about so many screenshots fit into 10,000 tokens, with any names and parts.
MOST_SCREENSHOTS: Final = 48
SHEET_SIDES: Final[tuple[SingleSide, ...]] = ("before", "after")

# Plans an image of the first screenshot, or a sheet in so many tokens if possible.
PlanNext = Callable[[Sequence[Screenshot], int], PlannedImage]


@dataclass
class CollectedImages:
    """``next_number`` is the number of the first remaining screenshot, or None."""

    images: list[RequestedImage] = field(default_factory=list)
    missing: list[MissingImage] = field(default_factory=list)
    next_number: int | None = None

    @property
    def tokens(self) -> int:
        return sum(image.tokens for image in self.images)

    @property
    def bytes(self) -> int:
        return sum(len(image.data) for image in self.images)


def collect_images(
    shots: Sequence[Screenshot], form: Form, plan_next: PlanNext, most_tokens: int
) -> CollectedImages:
    """Return the first images of ``shots``, which are in the order of their numbers.

    Raises InvalidInputError if not even one image fits into the tokens, and the errors of
    rendering. Call outside transactions.
    """
    collected = CollectedImages()
    rows, following = shots[:MOST_SCREENSHOTS], list(shots[MOST_SCREENSHOTS:])
    sides = SIDES_OF_FORMS.get(form, SHEET_SIDES)
    left = [shot for shot in rows if _has_image(shot, sides)]
    with_image = {shot.pk for shot in left}
    while left and (image := _next_image(collected, left, plan_next, most_tokens)):
        collected.images.append(image)
        left = left[len(image.shown) :]
    collected.next_number = next((shot.number for shot in [*left, *following]), None)
    end = rows.index(left[0]) if left else len(rows)
    collected.missing = [
        MissingImage(shot, explain_missing(shot, sides[-1]))
        for shot in rows[:end]
        if shot.pk not in with_image
    ]
    return collected


def _next_image(
    collected: CollectedImages, left: Sequence[Screenshot], plan_next: PlanNext, most_tokens: int
) -> RequestedImage | None:
    """Return an image of the first screenshots, or None if the image is too much for one call."""
    planned = plan_next(left, most_tokens - collected.tokens)
    if collected.tokens + planned.tokens > most_tokens:
        if collected.images:
            return None
        raise InvalidInputError(
            f"An image of #{left[0].number} takes {planned.tokens:,} tokens, and maxImageTokens "
            f"is {most_tokens:,}. Pass at least {planned.tokens}."
        )
    image = render_planned(planned)
    too_much = (
        collected.bytes + len(image.data) > MOST_BYTES
        or collected.tokens + image.tokens > most_tokens
    )
    # The first image is always returned: each image alone is small enough for clients.
    return None if collected.images and too_much else image


def _has_image(shot: Screenshot, sides: tuple[SingleSide, ...]) -> bool:
    # Next to nothing, the baseline of a failed screenshot would look like a removed screenshot.
    if shot.diff_state == FAILED and sides != ("before",):
        return False
    return not sides_of(shot).keys().isdisjoint(sides)
