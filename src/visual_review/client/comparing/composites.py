"""Render before, difference and after side by side; imported when something is to be rendered."""

from typing import Final

from visual_review.imagediff import Verdict, probe
from visual_review.imagediff.composite import render_composite
from visual_review.imagediff.composite_plan import Panel, plan_composite
from visual_review.imagediff.encoding import RenderedImage

# Of the compared area; a smaller one is never rounded down to zero.
SMALLEST_SHARE: Final = 0.0001
Images = tuple[bytes, bytes, bytes]


def render(name: str, images: Images, verdict: Verdict) -> RenderedImage:
    """Return the composite of before, difference and after, each a PNG file."""
    before, _, after = map(probe, images)
    panels = (
        Panel("Before", before.width, before.height, "before"),
        Panel("Difference", verdict.width, verdict.height, "diff"),
        Panel("After", after.width, after.height, "after"),
    )
    share = verdict.diff_ratio
    percent = f"{share:.2%}" if share >= SMALLEST_SHARE else f"less than {SMALLEST_SHARE:.2%}"
    facts = f"{verdict.diff_pixels:,} pixels differ ({percent})"
    load_images = [lambda image=image: image for image in images]
    return render_composite(plan_composite(panels, verdict.boxes), (name, facts), load_images)
