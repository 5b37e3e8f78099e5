"""Each icon of icons.css is the one of that name in icons.svg."""

import re

from tests.support.style_tokens import STATIC


def test_the_numbers_are_the_places_in_the_image() -> None:
    image = (STATIC / "icons.svg").read_text(encoding="utf-8")
    places = re.findall(r'<g id="([a-z-]+)"(?: transform="translate\(0 (\d+)\)")?>', image)
    styles = (STATIC / "icons.css").read_text(encoding="utf-8")
    numbers = re.findall(r"\.icon--([a-z-]+)[^{]*\{\s*--icon: (\d+);", styles)
    assert [(name, int(place or 0) // 16) for name, place in places] == [
        (name, int(number)) for name, number in numbers
    ]
    assert f'height="{16 * len(places)}"' in image
