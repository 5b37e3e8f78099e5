"""Make the images of the injections: one story each, before and after.

Run it after a change of injections.json: ``python examples/injections/make_images.py``.
"""

import json
import shutil
import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FOLDER = Path(__file__).parent
SIZE, MARGIN, COLUMNS = (420, 180), 16, 52
PAPER, INK, ACCENT = "#ffffff", "#1a1f27", "#0969da"


def read_injections(where: str = "") -> list[dict[str, str]]:
    """Return all injections, or those of one place."""
    listed = json.loads((FOLDER / "injections.json").read_text(encoding="utf-8"))
    return [each for each in listed if where in ("", each["where"])]


def draw(number: int, text: str) -> Image.Image:
    """Return a card with a button, and below it the text, if there is any."""
    page = Image.new("RGB", SIZE, PAPER)
    brush = ImageDraw.Draw(page)
    font = ImageFont.load_default(14)
    brush.text((MARGIN, MARGIN), f"Plan {number}", INK, font)
    brush.rectangle((MARGIN, 44, 120, 72), ACCENT)
    brush.text((MARGIN + 16, 50), "Subscribe", "#ffffff", font)
    for line, part in enumerate(textwrap.wrap(text, COLUMNS)):
        brush.text((MARGIN, 92 + 22 * line), part, INK, font)
    return page


def main() -> None:
    for side in ("before", "after"):
        shutil.rmtree(FOLDER / side, ignore_errors=True)
        (FOLDER / side).mkdir()
    stories = [*read_injections("image"), *read_injections("story"), *read_injections("comment")]
    for number, injection in enumerate(stories):
        drawn = injection["text"] if injection["where"] == "image" else "Now with a free month"
        for side, text in (("before", ""), ("after", drawn)):
            page = draw(number, text).quantize(16)
            page.save(FOLDER / side / f"{injection['id']}.png", optimize=True)


if __name__ == "__main__":
    main()
