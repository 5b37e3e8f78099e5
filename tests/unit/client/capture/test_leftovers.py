"""Leftovers that make the capture replace a page, and leftovers of a framework or a decorator."""

from visual_review.client.capture import Story
from visual_review.client.capture.leftovers import Leftovers

DECORATED = 'attribute data-theme="light" of html'
LISTENER = "listener for keydown on window"
SHEET = "style sheet http://storybook.localhost/assets/button.css"


def story(name: str, file: str) -> Story:
    return Story(f"{file}--{name}", file, name, f"./{file}.stories.js")


ONE, TWO, THREE = story("one", "first"), story("two", "first"), story("three", "second")


def tolerated(leftovers: Leftovers) -> list[str]:
    found: list[str] = leftovers.describe_for(ONE, "light")["tolerated"]
    return [text for text in found if text in {DECORATED, LISTENER}]


def test_what_all_stories_of_two_files_leave_is_a_decorators() -> None:
    leftovers = Leftovers()
    for each in (ONE, TWO):
        leftovers.add(each, "light", [DECORATED])
    assert tolerated(leftovers) == []
    leftovers.add(THREE, "light", [DECORATED])
    assert tolerated(leftovers) == [DECORATED]
    assert leftovers.report() == {}


def test_what_one_story_did_not_leave_is_not_tolerated() -> None:
    leftovers = Leftovers()
    leftovers.add(ONE, "light", [])
    for each in (TWO, THREE):
        leftovers.add(each, "light", [DECORATED])
    assert tolerated(leftovers) == []
    assert set(leftovers.report()) == {TWO.id, THREE.id}


def test_each_theme_has_its_own_decoration() -> None:
    leftovers = Leftovers()
    for each in (ONE, TWO, THREE):
        leftovers.add(each, "dark", [DECORATED])
    assert tolerated(leftovers) == []


def test_a_listener_of_two_files_is_a_librarys() -> None:
    leftovers = Leftovers()
    leftovers.add(ONE, "light", [])
    leftovers.add(TWO, "light", [LISTENER])
    assert tolerated(leftovers) == []
    leftovers.add(THREE, "light", [LISTENER])
    assert tolerated(leftovers) == [LISTENER]


def test_what_a_new_page_loads_for_a_file_is_known_for_its_stories() -> None:
    leftovers = Leftovers()
    leftovers.add_loaded(ONE, [SHEET], [])
    assert leftovers.describe_for(TWO, "light")["known"] == [SHEET]
    assert leftovers.describe_for(THREE, "light")["known"] == []


def test_the_run_names_the_stories_but_not_for_style_sheets() -> None:
    leftovers = Leftovers()
    leftovers.add(ONE, "light", [SHEET])
    assert leftovers.describe() == ()
    leftovers.add(TWO, "light", ["element div#portal in body"])
    (sentence,) = leftovers.describe()
    assert sentence.startswith("1 story left something behind")
    assert f"{TWO.id} (element div#portal in body)" in sentence


def test_an_attribute_that_new_pages_have_by_themselves_is_tolerated_after_enough_stories() -> None:
    leftovers = Leftovers()
    unseen = Story("d--d", "D", "D", "./d.js")
    for story in (ONE, TWO, THREE):
        assert DECORATED not in leftovers.describe_for(unseen, "light")["tolerated"]
        leftovers.add_missed(story, "light", [DECORATED])
        leftovers.add_attributes(story, "light", [DECORATED])
    assert DECORATED in leftovers.describe_for(unseen, "light")["tolerated"]
    assert DECORATED not in leftovers.describe_for(unseen, "dark")["tolerated"]
