"""Features of every page in a real browser: themes, local times, menus and tooltips."""

import re

from playwright.sync_api import Page, expect

from tests.support.browser import NARROWEST, OpenVisitor
from tests.support.personas import Personas
from tests.support.rendered_world import RenderedWorld

CANVAS = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(246, 247, 249)", "rgb(15, 18, 23)"


def choose_theme(page: Page, name: str) -> None:
    menu = page.locator(".menu--person")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    menu.get_by_role("radio", name=name).check(force=True)


def test_a_chosen_theme_applies_to_every_page_and_window(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.bob, color_scheme="light")
    visitor.open("/repositories")
    assert visitor.page.evaluate(CANVAS) == LIGHT
    choose_theme(visitor.page, "Dark")
    assert visitor.page.evaluate(CANVAS) == DARK
    other = visitor.page.context.new_page()
    # Before the first paint, and so before any module.
    other.route("**/page.js", lambda route: route.abort())
    other.goto(f"{visitor.address}/account")
    assert other.evaluate(CANVAS) == DARK
    other.unroute("**/page.js")
    other.reload()
    choose_theme(other, "System")
    assert other.evaluate(CANVAS) == LIGHT
    expect(visitor.page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))
    assert visitor.page.evaluate(CANVAS) == LIGHT


def test_times_are_local_and_as_wide_as_those_of_the_server(world: RenderedWorld) -> None:
    world.act("invite_member", email="dana@example.com", role="viewer")
    local = world.open_window(world.persona, timezone_id="Pacific/Kiritimati")
    plain = world.open_window(world.persona, java_script_enabled=False)
    shown = []
    for visitor in (local, plain):
        visitor.open("/audit")
        time = visitor.page.locator("td time").first
        shown.append((time.inner_text(), time.get_attribute("title")))
    (there, exact), (utc, same) = shown
    assert there != utc
    assert len(there) == len(utc) == len("03 Nov 2026, 14:05:06")
    assert there[-6:] == utc[-6:]
    assert exact == same
    note = 'getComputedStyle(document.querySelector("td time"), "::after").content'
    assert plain.page.evaluate(note) == '" UTC"'
    assert local.page.evaluate(note) == "none"


def test_recent_times_are_relative_with_the_local_time_behind(world: RenderedWorld) -> None:
    world.publish({"a": "red"})
    local = world.open_window(world.persona, timezone_id="Pacific/Kiritimati")
    plain = world.open_window(world.persona, java_script_enabled=False)
    titles = []
    for visitor in (local, plain):
        visitor.open(f"/repositories/{world.repository.pk}")
        time = visitor.page.locator("main time").first
        assert re.fullmatch(r"just now|1 minute ago", time.inner_text())
        titles.append(time.get_attribute("title") or "")
    assert re.fullmatch(r"[0-9]{2} \w{3} 20[0-9]{2}, [0-9:]{8}", titles[0])
    assert titles[1].endswith(" UTC")


def test_where_links_have_no_room_they_are_a_menu(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice, viewport={"width": NARROWEST, "height": 800})
    visitor.open("/members")
    expect(visitor.page.get_by_role("link", name="Storage")).to_be_hidden()
    visitor.page.locator(".nav-menu summary").click()
    visitor.page.get_by_role("link", name="Storage").click()
    visitor.expect_heading("Storage")


def test_a_tooltip_appears_for_the_keyboard_and_leaves_with_escape(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.bob)
    visitor.open("/components")
    button = visitor.page.get_by_role("button", name="Next change").first
    visitor.page.get_by_role("button", name="Previous change").first.focus()
    visitor.page.keyboard.press("Tab")
    expect(button).to_be_focused()
    tooltip = visitor.page.locator("body > .tooltip")
    expect(tooltip).to_have_text("Next change E")
    visitor.page.keyboard.press("Escape")
    expect(tooltip).to_have_count(0)
    assert visitor.console_errors == []


def test_the_first_key_skips_the_header(open_visitor: OpenVisitor, personas: Personas) -> None:
    visitor = open_visitor(personas.bob)
    visitor.open("/members")
    visitor.page.keyboard.press("Tab")
    skip = visitor.page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("main")).to_be_focused()
