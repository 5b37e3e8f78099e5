"""The proof of a theme; pages are simulated, a browser shows the rest."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from tests.support.case import Case
from visual_review.client.capture import CaptureSettings, Story
from visual_review.client.capture.theme_search import (
    BrokenPageError,
    choose_sample,
    find_theme_setting,
)
from visual_review.client.capture.themes import (
    MEDIA,
    ThemeChangedError,
    ThemeExpectation,
    ThemeFinding,
    ThemePairs,
    ThemeSetting,
    read_finding,
)
from visual_review.variants import Theme

STORIES = [Story(f"story--{number}", "Story", str(number), "") for number in range(40)]
SKIN = ThemeSetting("global", "skin", "day", "night")
DECLARED = {"values": {"skin": "day"}, "types": {"skin": {"toolbar": {"items": ["day", "night"]}}}}
Look = Callable[[Story, ThemeSetting, Theme, Theme], object]


@dataclass
class SimulatedPage:
    """``look`` returns a story's look with a setting, a theme and the preferred theme."""

    look: Look
    facts: object = field(default_factory=lambda: DECLARED)
    taken: int = 0
    state: tuple[ThemeSetting, Theme, Theme] = (MEDIA, "light", "light")

    async def read_theme_facts(self) -> object:
        return self.facts

    async def apply_theme(self, setting: ThemeSetting, theme: Theme, preferred: Theme) -> None:
        self.state = (setting, theme, preferred)

    async def sample(self, story: Story) -> bytes | None:
        self.taken += 1
        return str(self.look(story, *self.state)).encode()

    async def close(self) -> None:
        self.state = (MEDIA, "light", "light")


def search(page: SimulatedPage, settings: CaptureSettings | None = None) -> ThemeFinding:
    async def open_page() -> SimulatedPage:
        return page

    search = find_theme_setting(open_page, STORIES, settings or CaptureSettings())
    return asyncio.run(search)[0]


def by_skin(_story: Story, setting: ThemeSetting, theme: Theme, _preferred: Theme) -> str:
    return theme if setting == SKIN else "light"


def test_a_declared_global_is_proved_by_the_stories_that_it_changes() -> None:
    page = SimulatedPage(by_skin)
    finding = search(page)
    assert finding == ThemeFinding(SKIN, changed=1, sampled=1)
    assert finding.describe() == (
        "Dark theme: global `skin` = night, proved on 1 of 1 sampled story."
    )
    # One story is the proof: three in light, two in dark, and the first in light again.
    assert page.taken == 6


def test_stories_that_change_by_themselves_prove_nothing() -> None:
    numbers = iter(range(1000))
    finding = search(SimulatedPage(lambda *_: next(numbers)))
    assert (finding.setting.kind, finding.proved) == ("global", False)
    assert finding.describe() == (
        "Dark theme: global `skin` = night as the Storybook declares it, but light and dark are "
        "the same on 9 sampled stories. Name the theme in [capture.themes] of visual-review.toml, or "
        "capture only the light theme if there is no other."
    )


def test_the_preference_of_the_browser_is_not_credited_to_a_candidate() -> None:
    by_preference = SimulatedPage(lambda *state: state[3], facts={"parts": {".dark": 3}})
    finding = search(by_preference)
    assert finding == ThemeFinding(MEDIA, tried=("class `dark` on `html`",))
    assert finding.with_pairs(ThemePairs(compared=30, equal=10)).describe() == (
        "Dark theme: prefers-color-scheme; 20 of 30 dark images differ from the light ones."
    )


def test_a_storybook_that_starts_dark_is_recognized() -> None:
    def look(_story: Story, setting: ThemeSetting, theme: Theme, _preferred: Theme) -> str:
        return "light" if setting == SKIN and theme == "light" else "dark"

    facts = {**DECLARED, "values": {"skin": "night"}}
    assert search(SimulatedPage(look, facts)) == ThemeFinding(SKIN, 3, 3)


def test_a_story_that_changes_once_by_itself_proves_nothing() -> None:
    shows = iter("abcccccc")

    def look(story: Story, setting: ThemeSetting, theme: Theme, preferred: Theme) -> str:
        # The first one is still changing; the last one has the theme.
        if story == STORIES[0]:
            return next(shows)
        return by_skin(story, setting, theme, preferred) if story == STORIES[26] else "plain"

    page = SimulatedPage(look)
    assert search(page) == ThemeFinding(SKIN, changed=1, sampled=3)


def test_few_themed_stories_are_found_by_a_second_sample() -> None:
    second = choose_sample(STORIES, 9)[1]

    def look(story: Story, *state: object) -> str:
        return by_skin(story, *state) if story == second else "plain"  # type: ignore[arg-type]

    assert search(SimulatedPage(look)).changed == 1


def test_the_first_configured_way_that_is_proved_wins_over_what_is_declared() -> None:
    wrong = ThemeSetting("class", "", None, "never")
    settings = replace(CaptureSettings(), theme_candidates=(wrong, SKIN))
    finding = search(SimulatedPage(by_skin, facts={}), settings)
    assert finding == ThemeFinding(SKIN, 1, 1, configured=True)
    finding = search(SimulatedPage(lambda *_: "plain", facts={}), settings)
    assert (finding.setting, finding.proved) == (wrong, False)
    assert (
        "class `never` on `html`, configured, but light and dark are the same" in finding.describe()
    )


def test_options_name_a_global_and_its_values() -> None:
    settings = CaptureSettings(theme_global="skin", theme_values={"dark": "black"})
    black = ThemeSetting("global", "skin", "day", "black")
    page = SimulatedPage(lambda _, setting, theme, __: theme if setting == black else "light")
    assert search(page, settings) == ThemeFinding(black, 1, 1, configured=True)


def test_a_story_that_breaks_the_page_is_left_out() -> None:
    def look(story: Story, *state: object) -> str:
        if story == STORIES[0]:
            raise BrokenPageError(story)
        return by_skin(story, *state)  # type: ignore[arg-type]

    assert search(SimulatedPage(look)) == ThemeFinding(SKIN, 1, 1)


def broken(story: Story, *_: object) -> str:
    raise BrokenPageError(story)


def test_what_is_declared_is_used_if_stories_break_all_pages() -> None:
    finding = search(SimulatedPage(broken))
    assert finding == ThemeFinding(SKIN, interrupted=True)
    assert "The search for the theme was not completed" in finding.describe()
    assert finding.is_printed
    undeclared = search(SimulatedPage(broken, facts={"parts": {".dark": 3}}))
    assert undeclared == ThemeFinding(MEDIA, interrupted=True)


def test_what_the_baseline_found_is_used_if_stories_break_all_pages() -> None:
    dark = ThemeSetting("class", dark="dark")
    before = ThemeFinding(dark, 2, 3, preview_hash="old")
    settings = CaptureSettings(theme_expectation=ThemeExpectation(before, "new"))
    finding = search(SimulatedPage(broken, facts={"parts": {".dark": 3}}), settings)
    assert finding == ThemeFinding(dark, 2, 3, starts_light=True, interrupted=True)


def test_a_proved_way_is_not_searched_for_again_with_the_same_preview() -> None:
    before = ThemeFinding(SKIN, 2, 3, preview_hash="same")
    page = SimulatedPage(by_skin)
    settings = CaptureSettings(theme_expectation=ThemeExpectation(before, "same"))
    assert search(page, settings) == ThemeFinding(SKIN, 2, 3)
    assert page.taken == 0
    for preview, facts in (("other", DECLARED), ("same", {})):
        page = SimulatedPage(by_skin, facts=facts)
        search(page, CaptureSettings(theme_expectation=ThemeExpectation(before, preview)))
        assert page.taken > 0


def test_another_way_than_in_the_baseline_is_an_error_unless_something_explains_it(
    case: Case,
) -> None:
    before = ThemeFinding(SKIN, 2, 3, preview_hash="old")
    media = ThemeFinding(MEDIA)
    refused = {
        "the same preview": (ThemeExpectation(before, "old"), media),
        "an unknown preview": (ThemeExpectation(before), media),
        "unknown before": (ThemeExpectation(ThemeFinding(SKIN), "new"), media),
        "chosen, but not proved": (
            ThemeExpectation(before, "old"),
            replace(media, configured=True, interrupted=True),
        ),
    }
    for name, (expectation, found) in refused.items():
        with case(name), pytest.raises(ThemeChangedError, match=r"global `skin` = night .* now"):
            expectation.check(found)
    explained = {
        "the first build": (ThemeExpectation(preview_hash="new"), media),
        "a changed preview": (ThemeExpectation(before, "new"), media),
        "accepted": (ThemeExpectation(before, "old", accepts_change=True), media),
        "chosen": (ThemeExpectation(before, "old"), replace(media, configured=True)),
        "the same way": (ThemeExpectation(before, "old"), ThemeFinding(SKIN, 1, 3)),
    }
    for name, (expectation, found) in explained.items():
        with case(name):
            assert expectation.check(found).preview_hash == expectation.preview_hash


def test_what_made_no_difference_is_said_with_the_way_out() -> None:
    finding = search(SimulatedPage(lambda *_: "plain", facts={"parts": {".dark": 3}}))
    assert finding.with_pairs(ThemePairs(compared=7, equal=7)).describe() == (
        "Dark theme: none was found; all dark images equal the light ones. Tried: class `dark` on "
        "`html`. Name the theme in [capture.themes] of visual-review.toml, or capture only the "
        "light theme if there is no other."
    )
    # A proof on a sample does not hide equal captured images.
    proved = ThemeFinding(SKIN, 3, 3, pairs=ThemePairs(compared=7, equal=7))
    assert "Yet all dark images equal the light ones. Name the theme" in proved.describe()


def test_evidence_is_read_as_it_was_written(case: Case) -> None:
    finding = ThemeFinding(
        SKIN, 5, 6, configured=True, pairs=ThemePairs(40, 10), interrupted=True, preview_hash="h"
    )
    assert read_finding(finding.to_json()) == finding
    for change in ({"kind": "magic"}, {"name": "x" * 300}, {"changedStories": -1}, {"dark": 3}):
        with case(change), pytest.raises(ValueError, match="themes"):
            read_finding(finding.to_json() | change)


@pytest.mark.parametrize(
    ("facts", "guess"),
    [
        (DECLARED, SKIN),
        ({}, MEDIA),
        # Most stories are light where only a class makes them dark.
        ({"parts": {".dark": 3}}, MEDIA),
        ({"darkModeAddon": True}, None),
    ],
    ids=["global", "nothing", "class", "stored"],
)
def test_what_light_is_set_by_is_guessed_before_a_story_is_shown(
    facts: object, guess: ThemeSetting | None
) -> None:
    page = SimulatedPage(by_skin, facts)
    guesses: list[tuple[ThemeSetting | None, int]] = []

    async def open_page() -> SimulatedPage:
        return page

    def on_guess(setting: ThemeSetting | None) -> None:
        guesses.append((setting, page.taken))

    asyncio.run(find_theme_setting(open_page, STORIES, CaptureSettings(), on_guess))
    assert guesses == [(guess, 0)]


def test_light_is_not_set_where_only_dark_has_a_class() -> None:
    facts = {"parts": {".dark": 3}}

    def look(_story: Story, setting: ThemeSetting, theme: Theme, _preferred: Theme) -> str:
        return theme if setting.kind == "class" else "light"

    finding = search(SimulatedPage(look, facts))
    assert (finding.setting.kind, finding.setting_for_light) == ("class", MEDIA)
    assert search(SimulatedPage(by_skin)).setting_for_light == SKIN
