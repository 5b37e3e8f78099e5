"""Expected changes: patterns of stories, themes and devices."""

import pytest

from visual_review.client.capture import Variant
from visual_review.client.checking.groups import CheckedScreenshot, matches, parse_expectation
from visual_review.client.comparing.outcomes import Outcome, State
from visual_review.client.transport.errors import InputError
from visual_review.variants import Device, Theme


def shot(
    state: State = "changed",
    theme: Theme = "light",
    device: Device = "phone",
    title: str = "Forms/Button/Primary",
) -> CheckedScreenshot:
    story = "forms-button--primary"
    return CheckedScreenshot(story, title, Variant(theme, device), Outcome(story, state))


@pytest.mark.parametrize(
    "pattern",
    ["Button*", "button/primary", "Forms/*", "forms-button--*", "*--primary", "Primary", "*"],
)
def test_a_pattern_is_for_the_id_or_for_adjoining_parts_of_the_title(pattern: str) -> None:
    assert matches(pattern, shot())


@pytest.mark.parametrize("pattern", ["But", "forms/primary", "Card*", "button--primary", ""])
def test_other_patterns_are_for_other_stories(pattern: str) -> None:
    assert not matches(pattern, shot())


def test_without_an_expectation_every_change_is_outside() -> None:
    assert not parse_expectation((), ()).covers(shot())


def test_a_refactoring_expects_nothing() -> None:
    expected = parse_expectation(("none",), ())
    assert expected.is_given
    assert not expected.covers(shot())


def test_only_some_themes_and_devices() -> None:
    dark = parse_expectation((), ("dark",))
    assert dark.covers(shot(theme="dark"))
    assert not dark.covers(shot())
    both = parse_expectation(("Button*",), ("dark", "phone"))
    assert both.covers(shot(theme="dark"))
    assert not both.covers(shot(theme="dark", device="tablet"))
    assert not both.covers(shot(theme="dark", title="Card/Plain"))


def test_a_failure_is_never_expected() -> None:
    everything = parse_expectation(("*",), ())
    assert everything.covers(shot("new"))
    assert everything.covers(shot("removed"))
    assert not everything.covers(shot("failed"))


def test_patterns_of_which_nothing_changed_are_found() -> None:
    expected = parse_expectation(("Button*", "Card*"), ())
    assert expected.find_unused([shot()]) == ["Card*"]


def test_contradictions_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be combined"):
        parse_expectation(("none", "Button*"), ())
    with pytest.raises(InputError, match="cannot be combined"):
        parse_expectation(("none",), ("dark",))
    with pytest.raises(InputError, match="choose from light, dark, phone, tablet, desktop"):
        parse_expectation((), ("night",))
