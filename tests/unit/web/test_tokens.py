"""The tokens of the pages: readable in both themes, and the only place with colors."""

import re

from tests.support.case import Case
from tests.support.style_tokens import STATIC, color_of, contrast, read_tokens

THEMES = ("light", "dark")
GROUNDS = ("sunken", "canvas", "surface", "raised", "hover")
MEANINGS = ("info", "good", "warn", "bad", "gone")
STATES = (
    *("changed", "new", "removed", "failed", "unchanged", "pending"),
    *("approved", "rejected"),
)
# WCAG 2.2: 1.4.3 for text, 1.4.11 for controls and marks.
TEXT = 4.5
MARK = 3.0
TEXT_PAIRS = (
    *((text, ground) for text in ("text", "muted", "link") for ground in GROUNDS),
    *((text, "selected") for text in ("text", "muted", "link")),
    *((f"{each}-text", f"{each}-ground") for each in MEANINGS),
    *((f"{each}-text", ground) for each in MEANINGS for ground in (*GROUNDS, "selected")),
    *((f"state-{each}-text", f"state-{each}-ground") for each in STATES),
    *(("on-accent", "accent"), ("on-accent", "accent-hover")),
    *(("on-danger", "danger"), ("on-danger", "danger-hover")),
)
MARK_PAIRS = (
    *((f"state-{each}", ground) for each in STATES for ground in (*GROUNDS, "selected")),
    *((f"state-{each}", f"state-{each}-ground") for each in STATES),
    *((name, ground) for name in ("focus", "border-control") for ground in GROUNDS),
    *(("accent", "surface"), ("image-mark", "image-mark-halo")),
)


def test_text_is_readable_on_each_ground_in_both_themes(case: Case) -> None:
    for theme in THEMES:
        for text, ground in TEXT_PAIRS:
            with case((theme, text, ground)):
                assert contrast(color_of(text, theme), color_of(ground, theme)) >= TEXT


def test_marks_and_controls_are_visible_on_each_ground_in_both_themes(case: Case) -> None:
    for theme in THEMES:
        for mark, ground in MARK_PAIRS:
            with case((theme, mark, ground)):
                assert contrast(color_of(mark, theme), color_of(ground, theme)) >= MARK


def test_contrast_is_the_one_of_wcag() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


def test_only_tokens_have_colors(case: Case) -> None:
    literal = re.compile(r"#[0-9a-f]{3,8}\b(?=[^{]*;)|\b(?:rgb|hsl|oklch)a?\(", re.IGNORECASE)
    for path in sorted(STATIC.rglob("*.css")):
        if path.name != "tokens.css":
            with case(path.relative_to(STATIC).as_posix()):
                assert literal.findall(path.read_text(encoding="utf-8")) == []


def test_every_used_token_exists(case: Case) -> None:
    # One with a default is set by a page or a script.
    used = re.compile(r"var\(--([a-z0-9-]+)\)")
    own = re.compile(r"--([a-z0-9-]+):")
    for path in sorted(STATIC.rglob("*.css")):
        beside = "".join(each.read_text(encoding="utf-8") for each in path.parent.glob("*.css"))
        with case(path.relative_to(STATIC).as_posix()):
            found = set(used.findall(path.read_text(encoding="utf-8")))
            assert found - set(own.findall(beside)) <= read_tokens().keys()


def test_the_numbers_are_the_places_in_the_image() -> None:
    image = (STATIC / "icons.svg").read_text(encoding="utf-8")
    places = re.findall(r'<g id="([a-z-]+)"(?: transform="translate\(0 (\d+)\)")?>', image)
    styles = (STATIC / "icons.css").read_text(encoding="utf-8")
    numbers = re.findall(r"\.icon--([a-z-]+)[^{]*\{\s*--icon: (\d+);", styles)
    assert [(name, int(place or 0) // 16) for name, place in places] == [
        (name, int(number)) for name, number in numbers
    ]
    assert f'height="{16 * len(places)}"' in image
