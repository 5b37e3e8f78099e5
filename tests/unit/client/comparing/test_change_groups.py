"""Images that changed alike are grouped by what changed, and by what their names say."""

from dataclasses import replace

from visual_review.client.comparing.change_groups import group_outcomes
from visual_review.client.comparing.outcomes import Outcome
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Signature

SIZES = ((20, 10), (20, 10))


def make_changed(name: str, content: str) -> Outcome:
    analysis = replace(
        NOTHING_CHANGED, kind="pixels", summary="4 pixels differ", signature=Signature(content)
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
        ("a--light-phone.png", "b--dark-phone.png"),
        ("c--light-phone.png",),
    ]
    assert group_outcomes(reversed(outcomes)) == groups


def test_groups_are_named_by_what_distinguishes_their_devices() -> None:
    names = [f"Row---{size}-light-chromium-linux.png" for size in ("s", "m")]
    (group,) = group_outcomes([make_changed(name, "same") for name in names])
    assert group.name == "m and s: 4 pixels differ"
