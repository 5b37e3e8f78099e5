"""Render before, difference and after side by side; imported when something is to be rendered."""

from typing import Final

from visual_review.client.comparing.comparison import ComparedImages
from visual_review.imagediff import Verdict, probe
from visual_review.imagediff.rendering.composite import render_composite
from visual_review.imagediff.rendering.composite_plan import Panel, plan_composite
from visual_review.imagediff.rendering.encoding import RenderedImage

# Of the compared area; a smaller one is never rounded down to zero.
SMALLEST_SHARE: Final = 0.0001
LONGEST_NAME: Final = 80


def render(name: str, compared: ComparedImages) -> RenderedImage:
    """Return the composite of a changed pair, with the sentence about the change."""
    before, after = map(probe, compared.images)
    verdict, analysis = compared.verdict, compared.analysis
    panels = (
        Panel("Before", before.width, before.height, "before"),
        Panel("Difference", verdict.width, verdict.height, "diff"),
        Panel("After", after.width, after.height, "after"),
    )
    images = (compared.images[0], compared.difference, compared.images[1])
    load_images = [lambda image=image: image for image in images]
    plan = plan_composite(panels, verdict.boxes, analysis.changes)
    facts = f"{analysis.summary}. {_count_pixels(verdict)}" if verdict.diff_pixels else ""
    return render_composite(plan, (_shorten(name), facts or analysis.summary), load_images)


def _shorten(name: str) -> str:
    # The end of a path says more than the beginning.
    return name if len(name) <= LONGEST_NAME else f".../{name.rpartition('/')[2]}"


def _count_pixels(verdict: Verdict) -> str:
    share = verdict.diff_ratio
    percent = f"{share:.2%}" if share >= SMALLEST_SHARE else f"less than {SMALLEST_SHARE:.2%}"
    return f"{verdict.diff_pixels:,} pixels differ ({percent})"
