"""The list of the review page in a real browser: order, filters, links, keys and its window."""

import re

from playwright.sync_api import Locator, expect

from tests.support.browser import wait_for
from tests.support.depth import rounds
from tests.support.personas import Persona
from tests.support.rendered_world import RenderedWorld, ReviewPage, publish_changes
from tests.support.worlds import World
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Build, ChangeGroup

MANY = rounds(45, 600)
HIGH = {"width": 1280, "height": 1500}
CARDS = ("card--a", "card--b", "card--c")


def publish_each_state(world: World) -> Build:
    """Publish three cards with the same change, another card, a menu, and each other state."""
    before = dict.fromkeys((*CARDS, "card--d", "menu--a", "gone--a", "same--a", "error--a"), "red")
    world.approve(world.publish(before))
    changed = dict.fromkeys(CARDS, "green") | {"card--d": "blue", "menu--a": "white"}
    return world.publish(changed | {"new--a": "blue", "same--a": "red", "error--a": "error"})


def id_of(build: Build, story: str) -> str:
    return str(build.screenshots.get(story_id=story).pk)


def open_list(world: RenderedWorld, persona: Persona, path: str) -> ReviewPage:
    page = ReviewPage(world.open_window(persona, viewport=HIGH))
    page.open(path)
    return page


def lines_of(page: ReviewPage, kind: str = "") -> Locator:
    return page.root.locator(f".line--{kind}" if kind else ".line")


def expect_sections(page: ReviewPage, *names: str) -> None:
    """Expect the sections in order; the list is rendered with the browser's next frame."""
    expect(lines_of(page, "section").locator(".line__name")).to_have_text([*names])


def keys_of(page: ReviewPage) -> list[str | None]:
    return [line.get_attribute("data-key") for line in lines_of(page).all()]


def test_work_comes_in_order_and_unchanged_ones_on_demand(world: RenderedWorld) -> None:
    build = publish_each_state(world)
    render_missing_thumbnails(build, lambda: None)
    group = ChangeGroup.objects.get(build=build, screenshot_count=3)
    ChangeGroup.objects.filter(pk=group.pk).update(remainders=[id_of(build, "card--d")])
    page = open_list(world, world.personas.bob, f"/builds/{build.id}")
    expect_sections(page, "Failed", "Changed", "New", "Removed", "Unchanged")
    expect(lines_of(page, "failure")).to_have_count(1)
    expect(lines_of(page, "group")).to_contain_text("3 alike, 1 with more changes")
    lines_of(page, "remainder").click()
    expect(page.root).to_have_attribute("data-current", id_of(build, "card--d"))
    current = page.root.locator('.line[aria-current="true"]')
    expect(current).to_contain_text("card--d")
    # Five changed stories, a new and a removed one, and the group.
    expect(page.root.locator(".navigator canvas")).to_have_count(8)
    lines_of(page, "section").last.click()
    expect(lines_of(page, "story").last).to_contain_text("same--a")
    expect(page.visitor.page).to_have_url(re.compile("unchanged=1"))
    page.visitor.page.reload()
    page.wait_until_loaded()
    expect(lines_of(page, "story").last).to_contain_text("same--a")
    assert page.visitor.console_errors == []


def test_a_link_shows_the_same_to_someone_else(world: RenderedWorld) -> None:
    build = publish_each_state(world)
    page = open_list(world, world.personas.bob, f"/builds/{build.id}")
    page.root.get_by_role("button", name="Filters").click()
    for name in ("New", "Removed"):
        page.visitor.page.get_by_role("checkbox", name=name).check()
    page.press("Escape")
    expect(page.visitor.page).to_have_url(re.compile("state=new(,|%2C)removed"))
    expect_sections(page, "New", "Removed")
    path = page.visitor.page.url.removeprefix(page.visitor.address)
    other = open_list(world, world.personas.alice, path)
    expect_sections(other, "New", "Removed")
    other.root.get_by_role("button", name="Remove the filter New").click()
    expect_sections(other, "Removed")
    other.root.get_by_role("searchbox").fill("nothing has this name")
    expect(other.root.get_by_text("No match")).to_be_visible()
    other.root.get_by_role("button", name="Reset filters").click()
    expect(lines_of(other, "section").locator(".line__name").first).to_have_text("Failed")
    menu = id_of(build, "menu--a")
    other.open(f"/builds/{build.id}?show=open#{menu}")
    expect(other.root).to_have_attribute("data-current", menu)
    expect_sections(other, "Changed", "New", "Removed")
    other.open(f"/builds/{build.id}?story=same--a")
    expect(other.root).to_have_attribute("data-current", id_of(build, "same--a"))
    expect_sections(other, "Unchanged")


def test_deciding_moves_nothing_until_asked_to(world: RenderedWorld) -> None:
    build = publish_each_state(world)
    path = f"/builds/{build.id}?decided=undecided#{id_of(build, 'menu--a')}"
    page = open_list(world, world.personas.bob, path)
    expect(lines_of(page).filter(has_text="menu--a")).to_be_visible()
    before = keys_of(page)
    page.press("a")
    page.wait_until_saved()
    expect(lines_of(page).filter(has_text="menu--a")).to_contain_text("Approved")
    assert keys_of(page) == before
    page.root.get_by_role("button", name="1 decided, move them down").click()
    expect(lines_of(page).filter(has_text="menu--a")).to_have_count(0)


def test_keys_move_through_a_long_list_of_which_only_the_window_is_in_the_page(
    world: RenderedWorld,
) -> None:
    build = publish_changes(world, MANY)
    page = ReviewPage(world.open_window(world.personas.bob))
    page.open(f"/builds/{build.id}?sort=story")
    page.root.locator('.line[tabindex="0"]').focus()
    page.press("Home", "ArrowDown", "ArrowDown")
    focused = page.visitor.page.locator(".line:focus")
    expect(focused).to_have_attribute("aria-posinset", "2")
    expect(focused).to_have_attribute("aria-setsize", str(MANY))
    expect(focused).to_have_attribute("data-screenshot-id", page.current)
    page.press("End", "ArrowUp")
    expect(focused).to_have_attribute("aria-posinset", str(MANY))
    wait_for("the others are gone", lambda: lines_of(page).count() < 40)
    scroller = page.root.locator(".navigator__scroller")
    scroller.evaluate("element => { element.scrollTop = 0; }")
    expect(lines_of(page, "section").first).to_be_visible()
    # The focused line stays in the page, far away.
    expect(focused).to_have_attribute("aria-posinset", str(MANY))
    page.press("Home")
    expect(focused).to_contain_text("Changed")
    assert page.visitor.console_errors == []
