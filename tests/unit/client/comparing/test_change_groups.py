"""Images with the same change are grouped by the change, and by the parts of their names."""

from dataclasses import replace

from tests.support.case import Case
from visual_review.client.comparing.outcomes import Outcome, group_outcomes, parse_name
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Part, Signature
from visual_review.imagediff.model import Box

SIZES = ((20, 10), (20, 10))


def make_changed(name: str, content: str) -> Outcome:
    part = Part(content, Box(0, 0, 4, 4), "pixels differ in 4x4")
    analysis = replace(
        NOTHING_CHANGED, kind="pixels", summary="4 pixels differ", signature=Signature((part,))
    )
    return Outcome(name, "changed", analysis=analysis, sizes=SIZES)


def test_every_changed_image_is_in_one_group() -> None:
    outcomes = [
        Outcome("0.png", "unchanged", analysis=NOTHING_CHANGED),
        Outcome("1.png", "new"),
        make_changed("a--light-phone.png", "same"),
        make_changed("b--dark-phone.png", "same"),
        make_changed("c--light-phone.png", "other"),
    ]
    groups = group_outcomes(outcomes)
    assert [group.members for group in groups] == [
        ("c--light-phone.png",),
        ("a--light-phone.png", "b--dark-phone.png"),
    ]
    assert group_outcomes(reversed(outcomes)) == groups


def test_a_name_says_family_story_and_variant(case: Case) -> None:
    for name, expected in {
        "src/Menu.visual.test.tsx-snapshots/item-dark-chromium-linux.png": (
            *("src/Menu", "src/Menu/item", "dark", "chromium linux"),
        ),
        "button--primary--dark-phone.png": ("button", "button--primary", "dark", "phone"),
        "button--primary/light-tablet.png": ("button", "button--primary", "light", "tablet"),
        "from-dark-to-light-toggle.png": ("from", "from-dark-to-light-toggle", "", ""),
        "x": ("x", "x", "", ""),
    }.items():
        with case(name):
            found = parse_name(name)
            assert (found.family, found.story, found.theme, found.device) == expected
