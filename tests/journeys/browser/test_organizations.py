"""A person creates an organization and switches in a real browser: by keyboard, without scripts."""

from playwright.sync_api import expect
from pytest_django.fixtures import Settings

from tests.support.accessibility import find_violations, prepare
from tests.support.browser import OpenVisitor, Visitor
from tests.support.personas import Persona, Personas
from tests.support.rendered_world import path_of, publish_changes
from tests.support.worlds import World
from visual_review.accounts.models import Invitation, Membership, Organization

PHONE = {"width": 390, "height": 844}


def press_on(visitor: Visitor, role: str, name: str) -> None:
    """Move the focus to an element with the Tab key, and press Enter."""
    wanted = visitor.page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        if wanted.count() and wanted.evaluate("element => element === document.activeElement"):
            visitor.page.keyboard.press("Enter")
            visitor.page.wait_for_load_state()
            return
    raise AssertionError(f"The Tab key does not reach {name}.")


def open_menu(visitor: Visitor, kind: str) -> None:
    visitor.page.locator(f"{kind} summary").focus()
    visitor.page.keyboard.press("Enter")


def test_creating_and_switching_need_neither_mouse_nor_scripts(
    open_visitor: OpenVisitor, personas: Personas, settings: Settings
) -> None:
    settings.ORGANIZATION_CREATION = True
    visitor = open_visitor(personas.carol, java_script_enabled=False, viewport=PHONE)
    visitor.open("/repositories")
    open_menu(visitor, ".menu--person")
    press_on(visitor, "link", "New organization")
    visitor.expect_heading("New organization")
    visitor.page.get_by_label("Name").focus()
    visitor.page.keyboard.type("Globex")
    visitor.page.keyboard.press("Enter")
    visitor.expect_status("Globex was created. You are its owner.")
    open_menu(visitor, ".header__menus .menu:not(.menu--person)")
    press_on(visitor, "button", "Acme")
    visitor.expect_heading("Waiting for review")
    open_menu(visitor, ".menu--person")
    expect(visitor.page.get_by_text("Acme, viewer")).to_be_visible()


def test_a_link_and_an_open_form_keep_to_their_organization(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    globex = Organization.objects.create(name="Globex")
    Membership.objects.create(organization=globex, user=personas.alice.user, role="owner")
    build = publish_changes(World(Persona(personas.alice.user, globex)), 1)
    visitor = open_visitor(personas.alice, viewport=PHONE)
    prepare(visitor.page.context)
    visitor.open("/members")
    visitor.page.get_by_label("E-mail address").fill("dana@example.com")
    other = Visitor(visitor.page.context.new_page(), visitor.address)
    other.open(path_of(build))
    other.expect_heading("This build belongs to Globex.")
    assert find_violations(other.page) == []
    assert other.horizontal_overflow() == 0
    other.page.get_by_role("button", name="Switch to Globex").click()
    other.page.wait_for_url(f"**{path_of(build)}")
    # The form left open meanwhile is Acme's.
    visitor.page.locator("main form").get_by_role("button", name="Invite").click()
    visitor.expect_status("The form belongs to Acme, so you are in Acme again.")
    assert Invitation.objects.get().organization == personas.alice.organization
