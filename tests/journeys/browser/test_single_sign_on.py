"""Single sign-on in a real browser, through the pages of a real provider."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.browser import OpenVisitor
from tests.support.openid import OpenIdProvider, openid_provider
from tests.support.personas import Personas
from visual_review.accounts.models import User
from visual_review.kernel.ids import new_id


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
