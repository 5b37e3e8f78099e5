"""People sign in, also with passkeys and single sign-on, and manage keys and members."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.browser import NARROWEST, OpenVisitor, wait_for
from tests.support.openid import OpenIdProvider, openid_provider
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.models import Membership, User
from visual_review.accounts.setup import make_setup_link
from visual_review.kernel.errors import UnauthenticatedError
from visual_review.kernel.ids import new_id

NEW_PASSWORD = "another long enough phrase"
PAGES = ["/repositories", "/members", "/keys", "/audit", "/account", "/account/password"]


@pytest.mark.usefixtures("without_personas")
def test_the_setup_link_leads_to_a_working_organization(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor()
    visitor.page.goto(make_setup_link())
    visitor.page.get_by_label("Organization").fill("Acme")
    visitor.page.get_by_label("Your name").fill("Dana")
    visitor.page.get_by_label("Your e-mail address").fill("dana@example.com")
    visitor.page.get_by_label("Password").fill(NEW_PASSWORD)
    visitor.page.get_by_role("button", name="Create organization").click()
    visitor.expect_heading("Waiting for review")
    visitor.choose_in_menu("Sign out")
    visitor.expect_heading("Sign in")
    visitor.sign_in("dana@example.com", NEW_PASSWORD)
    visitor.expect_heading("Waiting for review")
    assert visitor.console_errors == []


def test_a_wrong_password_is_reported_and_the_right_one_leads_to_the_requested_page(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor()
    visitor.open("/members")
    visitor.fill_sign_in_form(personas.bob.user.email, "a wrong password")
    expect(visitor.page.get_by_role("alert")).to_contain_text("not correct")
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("button", name="Sign in").click()
    visitor.expect_heading("Members")


def test_a_key_is_created_used_and_revoked(open_visitor: OpenVisitor, personas: Personas) -> None:
    visitor = open_visitor(personas.alice)
    visitor.open("/repositories")
    visitor.page.get_by_role("link", name="API keys").click()
    visitor.page.get_by_label("Name").fill("Dashboard")
    visitor.page.get_by_label("The organization:").check()
    visitor.page.get_by_label("See builds and their screenshots").check()
    visitor.page.get_by_role("button", name="Create key").click()
    key = visitor.page.locator("#secret").inner_text()
    assert caller_of_key(key, "rest").permissions == {"builds:view"}
    visitor.page.get_by_role("link", name="Done").click()
    visitor.page.get_by_role("link", name="Revoke Dashboard").click()
    visitor.page.get_by_role("button", name="Revoke key").click()
    visitor.expect_status("was revoked")
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key, "rest")
    assert visitor.console_errors == []


def test_an_invited_person_joins_and_gets_another_role(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    owner, guest = open_visitor(personas.alice), open_visitor()
    owner.open("/members")
    owner.page.get_by_label("E-mail address").fill("dana@example.com")
    owner.page.get_by_role("button", name="Invite").click()
    guest.page.goto(owner.page.locator("#secret").inner_text())
    guest.page.get_by_label("Your name").fill("Dana")
    guest.page.get_by_label("Password").fill(NEW_PASSWORD)
    guest.page.get_by_role("button", name="Create account and join").click()
    guest.expect_heading("Waiting for review")
    assert guest.page.get_by_role("link", name="Audit log").count() == 0
    owner.page.get_by_role("link", name="Done").click()
    owner.page.get_by_label("Role of Dana").select_option("admin")
    owner.page.get_by_role("button", name="Change the role of Dana").click()
    dana = Membership.objects.filter(user__email="dana@example.com")
    wait_for("the role is changed", lambda: dana.get().role == "admin")
    guest.page.reload()
    expect(guest.page.get_by_role("link", name="Audit log")).to_have_count(1)
    assert owner.console_errors == guest.console_errors == []


def test_signing_in_saving_and_signing_out_work_without_scripts(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(java_script_enabled=False)
    visitor.sign_in(personas.bob.user.email, PASSWORD)
    visitor.choose_in_menu("Your account")
    visitor.page.get_by_role("textbox", name="Name").fill("Robert")
    visitor.page.get_by_role("button", name="Save").click()
    visitor.expect_status("was saved")
    visitor.choose_in_menu("Sign out")
    visitor.expect_heading("Sign in")


def test_the_keyboard_alone_reaches_content_and_menus(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice)
    visitor.open("/keys")
    keyboard = visitor.page.keyboard
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(visitor.page.locator("#content")).to_be_focused()
    visitor.open("/keys")
    focused = "document.activeElement"
    while not visitor.page.evaluate(f"{focused}.matches('.menu--person > summary')"):
        keyboard.press("Tab")
    keyboard.press("Enter")
    expect(visitor.page.get_by_role("button", name="Sign out")).to_be_visible()
    keyboard.press("Escape")
    expect(visitor.page.get_by_role("button", name="Sign out")).to_be_hidden()
    assert visitor.page.evaluate(f"{focused}.tagName") == "SUMMARY"


def test_no_page_scrolls_sideways_on_the_narrowest_phone(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    personas.alice.user.name = "A person with a rather long name " * 3
    personas.alice.user.save()
    visitor = open_visitor(viewport={"width": NARROWEST, "height": 640})
    visitor.open("/sign-in")
    assert visitor.horizontal_overflow() <= 0
    visitor.sign_in(personas.alice.user.email, PASSWORD)
    visitor.open("/members")
    visitor.page.get_by_label("E-mail address").fill(f"{'long.name' * 6}@{'sub' * 9}.example.com")
    visitor.page.get_by_role("button", name="Invite").click()
    visitor.page.locator("#secret").wait_for()
    assert visitor.horizontal_overflow() <= 0
    for address in PAGES:
        visitor.open(address)
        for closed in visitor.page.locator("main details").all():
            closed.locator("summary").click()
        assert visitor.horizontal_overflow() <= 0, address
    assert visitor.console_errors == []


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
    # The next sign-in asks for a code.
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


@pytest.fixture
def real() -> Iterator[OpenIdProvider]:
    with openid_provider() as started:
        yield started


def test_a_person_comes_in_through_the_provider_and_leaves(
    open_visitor: OpenVisitor, personas: Personas, real: OpenIdProvider, settings: Settings
) -> None:
    settings.MESSAGE_NETWORKS = (ip_network("127.0.0.0/8"),)
    provider_id = new_id("idp")
    client = real.register(
        f"{settings.PUBLIC_URL}/sso/{provider_id}/callback",
        post_logout_redirect_uris=[f"{settings.PUBLIC_URL}/sign-in"],
    )
    act(
        personas.alice,
        "save_sign_in_provider",
        providerId=provider_id,
        name="Company",
        issuer=real.url,
        clientId=client["client_id"],
        clientSecret=client["client_secret"],
        domains=["example.com"],
        groupRoles=[],
        defaultRole="reviewer",
    )
    real.add_person("dana", email="dana@example.com", name="Dana")
    visitor = open_visitor()
    page = visitor.page
    visitor.open("/members")
    page.get_by_role("link", name="Single sign-on").click()
    page.get_by_label("E-mail address").fill("dana@example.com")
    page.get_by_role("button", name="Find my organization").click()
    page.get_by_role("link", name="Continue with Company").click()
    page.locator("[name=login]").fill("dana")
    page.locator("[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    visitor.expect_heading("Members")
    assert User.objects.get(email="dana@example.com").name == "Dana"
    visitor.choose_in_menu("Sign out")
    visitor.expect_heading("Sign in")
    page.get_by_role("link", name="Sign out there, too").click()
    page.get_by_role("button", name="Yes, sign me out").click()
    visitor.expect_heading("Sign in")
