"""Large builds of a generated component library whose header, button or footer changed."""

import io
import random
from collections.abc import Iterator
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from benchmarks.agent.builds import BuildPlan, Page
from benchmarks.agent.defects import DEFECTS, plant

THEMES: Final = {"light": ("#ffffff", "#222222"), "dark": ("#181818", "#dddddd")}
SIZES: Final = {"phone": (320, 360), "tablet": (480, 320), "desktop": (640, 300)}
# Intended changes, by the story's number: three redesigns of one branch.
REDESIGNS: Final = ("header", "button", "footer")
LINE: Final = 26
MESSAGE: Final = "New links in the header, green buttons, and a footer with the year"
# Unchanged stories share a few pages, so that large builds are quick to make.
SHARED_PAGES: Final = 20


def plan_redesign(changes: int, screenshots: int, defects: int, seed: int) -> BuildPlan:
    """Return a build of so many screenshots with ``changes`` differences, some with a defect."""
    rng = random.Random(f"redesign {seed} {changes}")
    variants = [(theme, device) for theme in THEMES for device in SIZES]
    defective = dict(enumerate(rng.sample(range(changes), defects)))
    kinds = {number: [*DEFECTS][at % len(DEFECTS)] for at, number in defective.items()}
    pages = []
    for number in range(screenshots):
        story, variant = divmod(number, len(variants))
        theme, device = variants[variant]
        name = f"components-card-{story:04}--default--{theme}-{device}.png"
        if number < changes:
            pages.append(_change(name, story, (theme, device), kinds.get(number, ""), seed))
        else:
            page = _shared_page(story % SHARED_PAGES, theme, device)
            pages.append(Page(name, page, page))
    return BuildPlan(f"{changes:,} changes of {screenshots:,}", MESSAGE, tuple(pages))


def _change(name: str, story: int, variant: tuple[str, str], kind: str, seed: int) -> Page:
    before = _encode(draw_page(story, *variant))
    after = _encode(draw_page(story, *variant, REDESIGNS[story % len(REDESIGNS)]))
    for each in _kinds_from(kind):
        defect = plant(after, each, f"{name} {seed}", before)
        if defect is not None:
            return Page(name, before, defect.png, each)
    return Page(name, before, after)


def _kinds_from(kind: str) -> Iterator[str]:
    """Yield the kind, and then others for pages without an element for the kind."""
    if kind:
        yield kind
        yield from (each for each in DEFECTS if each != kind)


@cache
def _shared_page(number: int, theme: str, device: str) -> bytes:
    return _encode(draw_page(10_000 + number, theme, device))


def draw_page(number: int, theme: str, device: str, redesign: str = "") -> Image.Image:
    """Return a page with header, text, button and footer, one of them in the new design."""
    paper, ink = THEMES[theme]
    page = Image.new("RGB", SIZES[device], paper)
    brush = ImageDraw.Draw(page)
    font = ImageFont.load_default(13)
    brush.rectangle((0, 0, page.width, 30), "#24292f")
    links = "Home  Docs  Plans  Help" if redesign == "header" else "Home  Docs  Pricing"
    brush.text((12, 8), links, "#ffffff", font)
    for line, top in enumerate(range(44, page.height - 90, LINE)):
        brush.text((16, top), f"Story {number}, line {line}: {number * 37 + line}", ink, font)
    down = page.height - 74
    brush.rectangle((16, down, 116, down + 26), "#1a7f37" if redesign == "button" else "#0969da")
    brush.text((34, down + 6), "Continue", "#ffffff", font)
    footer = "(c) 2026 Example" if redesign == "footer" else "Example Ltd."
    brush.text((16, page.height - 26), footer, "#888888", font)
    return page


def _encode(page: Image.Image) -> bytes:
    stream = io.BytesIO()
    page.save(stream, "PNG", compress_level=6)
    return stream.getvalue()
