"""Every page in a real browser: axe-core finds nothing in either theme, and nothing overflows.

The pages come from the URL conf, so that a new page cannot be forgotten.
"""

import pytest
from django.db import transaction
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.accessibility import TIGHT, WIDE, check_page_as_shown, prepare, resize
from tests.support.browser import OpenVisitor, Visitor
from tests.support.case import Case
from tests.support.database import delete_personas
from tests.support.every_page import PUBLIC, one_of_everything, page_urls
from tests.support.oauth.flow import Flow
from tests.support.pages import path_of, signed_in
from tests.support.personas import Personas
from visual_review.accounts.invitations import invite
from visual_review.accounts.links import invitation_link, password_link, password_token
from visual_review.accounts.models import Membership, Organization
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.setup import make_setup_link
from visual_review.messages.mailboxes import mailbox_of, unsubscribe_token

HTML = "text/html; charset=utf-8"
CALLBACK = "http://127.0.0.1:33418/callback"
HEADER = """() => ["header", ".brand", ".menu--person"].map(name => {
    const box = document.querySelector(name).getBoundingClientRect();
    return [box.left, box.top, box.height];
})"""


@pytest.fixture
def urls(personas: Personas, settings: Settings) -> dict[str, str]:
    """The URL of each page of a member."""
    settings.ORGANIZATION_CREATION = True
    # A second organization with a long name is a menu more in the header.
    other = personas.mallory.organization
    Organization.objects.filter(pk=other.pk).update(name="An organization with a long name")
    Membership.objects.create(organization=other, user=personas.alice.user, role="viewer")
    with transaction.atomic():
        return page_urls(one_of_everything(personas))


def list_documents(client: Client, urls: dict[str, str]) -> dict[str, str]:
    """Leave out everything but documents: buttons, data and images."""
    documents = {}
    for name, url in urls.items():
        response = client.get(url)
        if response.status_code == 200 and response.headers["Content-Type"] == HTML:
            documents[name] = url
    return documents


def check_page(visitor: Visitor, name: str, url: str) -> None:
    visitor.open(url)
    check_page_as_shown(visitor, name)


def test_no_page_of_a_member_has_a_barrier(
    case: Case, open_visitor: OpenVisitor, personas: Personas, urls: dict[str, str]
) -> None:
    visitor = open_visitor(personas.alice)
    prepare(visitor.page.context)
    requested: list[str] = []
    visitor.page.on("request", lambda request: requested.append(request.url))
    documents = list_documents(signed_in(personas.alice), urls)
    for name, url in documents.items():
        with case(name):
            check_page(visitor, name, url)
    # Nothing is loaded from elsewhere, and nothing was refused.
    own = (visitor.address, "blob:")
    assert [url for url in requested if not url.startswith(own)] == []
    assert {"repositories", "build", "components", "account", "remove_member"} <= documents.keys()
    assert not [each for each in visitor.console_errors if "Content Security Policy" in each]


def public_urls(personas: Personas) -> dict[str, str]:
    """Return a URL of each page without a sign-in, except for the first setup."""
    user = personas.bob.user
    _, secret = invite(personas.alice.caller, "dana@example.com", "viewer")
    token = password_token(user)
    mailbox = mailbox_of(personas.alice.organization.id, user)
    return {
        "account_login": "/sign-in",
        "account_inactive": "/inactive",
        "account_reset_password": "/password/forgotten",
        "account_reset_password_done": "/password/sent",
        "account_reset_password_from_key": path_of(password_link(user.id, token)),
        "account_reset_password_from_key_done": "/password/done",
        "client": "/client/",
        "documentation": "/docs/",
        "documentation_page": "/docs/how-to/review/",
        "invitation": path_of(invitation_link(secret.text)),
        "mail_unsubscribe": f"/account/mail/{unsubscribe_token(mailbox)}",
        "not_found": "/nothing/here",
        "single_sign_on": "/sso?email=ann@example.com",
    }


def test_no_page_before_sign_in_has_a_barrier(
    case: Case, open_visitor: OpenVisitor, personas: Personas
) -> None:
    urls = public_urls(personas)
    # The first setup has its own data, signing out is a button, two are for pip alone, and the rest
    # only redirects.
    others = {"setup", "account_logout", "client_simple", "client_file"}
    redirects = {"sign_in_start", "sign_in_callback", "sign_out_at_provider", "mfa_authenticate"}
    assert {*urls} | others | redirects >= PUBLIC
    visitor = open_visitor()
    prepare(visitor.page.context)
    for name, url in urls.items():
        with case(name):
            check_page(visitor, name, url)
    delete_personas()
    check_page(visitor, "setup", path_of(make_setup_link()))


def test_no_consent_page_has_a_barrier(open_visitor: OpenVisitor, personas: Personas) -> None:
    client = register(ClientMetadata("Agent", (CALLBACK,)))
    visitor = open_visitor(personas.bob)
    prepare(visitor.page.context)
    check_page(visitor, "authorize", Flow(client.client_id, Client(), redirect=CALLBACK).url())


def test_the_header_is_in_the_same_place_on_every_page(
    case: Case, open_visitor: OpenVisitor, personas: Personas, urls: dict[str, str]
) -> None:
    visitor = open_visitor(personas.alice)
    for width in (*TIGHT, WIDE, 2560):
        resize(visitor, width)
        places = []
        for name in ("repositories", "account", "components", "audit", "remove_member"):
            visitor.open(urls[name])
            places.append(visitor.page.evaluate(HEADER))
        with case(width):
            assert places == [places[0]] * len(places)
