"""A passkey in a real browser, with the browser's virtual authenticator."""

from playwright.sync_api import Page

from tests.support.browser import OpenVisitor
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.models import User


def add_authenticator(page: Page) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_is_added_used_and_removed(open_visitor: OpenVisitor, personas: Personas) -> None:
    visitor = open_visitor()
    page, user = visitor.page, personas.bob.user
    add_authenticator(page)
    visitor.open("/sign-in")
    visitor.fill_sign_in_form(user.email, PASSWORD)
    visitor.open("/account/second-factor")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill("My laptop")
    page.get_by_role("button", name="Add", exact=True).click()
    visitor.expect_heading("Recovery codes")
    page.get_by_role("link", name="I have kept them").click()
    page.get_by_role("cell", name="My laptop").first.wait_for()
    # The next sign-in asks for it.
    page.context.clear_cookies()
    visitor.open("/sign-in")
    visitor.fill_sign_in_form(user.email, PASSWORD)
    visitor.expect_heading("Second factor")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("Bob").first.wait_for()
    visitor.open("/account/second-factor")
    page.get_by_role("link", name="Remove My laptop").click()
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("Your fingerprint, face or security key.").wait_for()
    assert not User.objects.get(pk=user.pk).authenticator_set.exists()
    assert visitor.console_errors == []
