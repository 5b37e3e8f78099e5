"""A person connects an app, finds the app again and disconnects it, in a real browser."""

import re

from django.db import transaction
from django.test import Client
from playwright.sync_api import expect

from tests.support.browser import NARROWEST, OpenVisitor, Visitor
from tests.support.oauth.flow import Flow
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.models import Grant, Membership
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect

CALLBACK = "http://127.0.0.1:33418/callback"
LONGEST = "An agent with the longest name possible, which has eighty characters in all".ljust(
    80, "!"
)
FAR = f"https://{'sub-domain.' * 8}example.com/callback"


def authorization_request(name: str = "Agent", redirect: str = CALLBACK, **changes: str) -> str:
    """Return the path to which a newly registered app sends a person."""
    client = register(ClientMetadata(name, (redirect,)))
    return Flow(client.client_id, Client(), redirect=redirect).url(**changes)


def serve_callback(visitor: Visitor) -> None:
    """Stand in for the app itself, which accepts any response."""
    visitor.page.route(f"{CALLBACK}?*", lambda route: route.fulfill(body="Thanks."))


def open_and_sign_in(visitor: Visitor, person: Persona, path: str) -> None:
    """Open the path as an anonymous visitor and sign in on the way."""
    visitor.open(path)
    visitor.fill_sign_in_form(person.user.email, PASSWORD)


def test_a_person_connects_an_app_and_disconnects_it(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor()
    serve_callback(visitor)
    open_and_sign_in(visitor, personas.bob, authorization_request())
    visitor.expect_heading("Authorize “Agent”?")
    visitor.page.get_by_label("Read-only").check()
    visitor.page.get_by_role("button", name="Allow").click()
    visitor.page.wait_for_url(re.compile(r"/callback\?.*code="))
    assert Grant.objects.get().scope == "read"
    visitor.open("/account")
    visitor.choose_in_menu("Connected apps")
    expect(visitor.page.get_by_role("row", name="Agent")).to_contain_text("Read-only")
    visitor.page.get_by_role("button", name="Disconnect Agent").click()
    visitor.expect_status("was disconnected")
    assert Grant.objects.get().disconnected_at is not None


def test_consent_works_with_the_keyboard_alone(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.bob)
    serve_callback(visitor)
    visitor.open(authorization_request())
    focused = "document.activeElement"
    keyboard = visitor.page.keyboard
    while visitor.page.evaluate(f"{focused}.name") != "access":
        keyboard.press("Tab")
    # Arrow keys move through the radio buttons; the requested access is preselected.
    assert visitor.page.evaluate(f"{focused}.value") == "changes"
    keyboard.press("ArrowUp")
    keyboard.press("Tab")
    assert visitor.page.evaluate(f"{focused}.value") == "allow"
    # Right after the page appears the button is disabled; people are slower.
    visitor.page.locator("button[value=allow]:not([aria-disabled])").wait_for()
    keyboard.press("Enter")
    visitor.page.wait_for_url(re.compile("/callback"))
    assert Grant.objects.get().scope == "read"


def test_another_person_signs_in_and_denies_without_scripts(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.carol, java_script_enabled=False)
    serve_callback(visitor)
    visitor.open(authorization_request())
    expect(visitor.page.locator("main")).to_contain_text("Carol")
    visitor.page.get_by_role("button", name="Not you?").click()
    visitor.fill_sign_in_form(personas.bob.user.email, PASSWORD)
    expect(visitor.page.locator("main")).to_contain_text("bob@example.com")
    visitor.page.get_by_role("button", name="Deny").click()
    visitor.page.wait_for_url(re.compile("error=access_denied"))
    assert not Grant.objects.exists()


def test_every_example_can_be_copied_whole(open_visitor: OpenVisitor, personas: Personas) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    visitor = open_visitor(personas.carol, permissions=permissions)
    visitor.open("/account/apps/connect")
    buttons = visitor.page.locator("button[data-copy]").all()
    assert len(buttons) == 14
    for button in buttons:
        source = visitor.page.locator(f"#{button.get_attribute('data-copy')}")
        expect(button).to_have_accessible_name(re.compile("^Copy the "))
        button.click()
        expect(button).to_contain_text("Copied")
        copied = visitor.page.evaluate("navigator.clipboard.readText()")
        assert copied == source.text_content()
    assert visitor.console_errors == []


def test_no_page_about_apps_scrolls_sideways_on_the_narrowest_phone(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    personas.bob.user.name = "A person with a rather long name " * 3
    personas.bob.user.save()
    Membership.objects.create(
        user=personas.bob.user, organization=personas.mallory.organization, role="viewer"
    )
    with transaction.atomic():
        connect(personas.bob.caller, register(ClientMetadata(LONGEST, (FAR,))), "read", "read")
    consent = authorization_request(LONGEST, FAR)
    faulty = authorization_request(LONGEST, FAR, resource="https://elsewhere.example.com/")
    visitor = open_visitor(personas.bob, viewport={"width": NARROWEST, "height": 640})
    for path in ("/account/apps", "/account/apps/connect", "/account", consent, faulty):
        visitor.open(path)
        assert visitor.horizontal_overflow() <= 0, path
        if path == consent:
            visitor.expect_heading(re.compile("Authorize “An agent"))
    # The last one waits for a click: the app is unknown, and its request was invalid.
    visitor.expect_heading(re.compile("Back to"))
    assert visitor.console_errors == []
