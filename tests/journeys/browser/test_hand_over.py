"""The result of the consent reaches the client in a real browser, with all its restrictions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import OpenVisitor, Visitor
from tests.support.case import Case
from tests.support.oauth.flow import Flow
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register

START_PAGE = "<script>window.onmessage = event => { document.title = event.data }</script>"
CALLBACK_PAGE = "<script>opener.postMessage('received ' + location.search, '*')</script>"


@dataclass
class App:
    """A client's own server: its start page, its callback, and the callback's redirect."""

    url: str = ""
    redirects_to: str = ""
    queries: list[dict[str, list[str]]] = field(default_factory=list)


@contextmanager
def serve_app(app: App) -> Iterator[App]:
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            is_callback = parts.path == "/callback"
            if is_callback:
                app.queries.append(parse_qs(parts.query))
            redirected = is_callback and app.redirects_to
            self.send_response(302 if redirected else 200)
            if redirected:
                self.send_header("Location", app.redirects_to)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((CALLBACK_PAGE if is_callback else START_PAGE).encode())

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        app.url = f"http://127.0.0.1:{server.server_port}"
        yield app
        server.shutdown()


@pytest.fixture
def app() -> Iterator[App]:
    with serve_app(App()) as app:
        yield app


def authorization_request(redirect: str, **changes: str) -> str:
    """Return the path to which a newly registered app sends a person."""
    client = register(ClientMetadata("App", (redirect,)))
    return Flow(client.client_id, Client(), redirect=redirect).url(**changes)


def test_a_decision_arrives_even_if_the_app_redirects_to_another_site(
    open_visitor: OpenVisitor, live_server: LiveServer, personas: Personas, app: App, case: Case
) -> None:
    visitor = open_visitor(personas.bob)
    with serve_app(App()) as thanks:
        # Another host than the app's, as in practice.
        app.redirects_to = f"{thanks.url}/thanks"
        for decision in ("Allow", "Deny"):
            with case(decision):
                app.queries.clear()
                visitor.open(authorization_request(f"{app.url}/callback"))
                visitor.page.get_by_role("button", name=decision).click()
                visitor.page.wait_for_url(app.redirects_to)
                assert visitor.console_errors == []
                assert ("code" in app.queries[0]) is (decision == "Allow")
                assert app.queries[0]["iss"] == [live_server.url]


def test_an_error_found_after_signing_in_reaches_the_app(
    open_visitor: OpenVisitor, personas: Personas, app: App
) -> None:
    visitor = open_visitor()
    visitor.open(authorization_request(f"{app.url}/callback", scope="nonsense"))
    visitor.fill_sign_in_form(personas.bob.user.email, PASSWORD)
    visitor.page.wait_for_url(f"{app.url}/callback**")
    assert app.queries[0]["error"] == ["invalid_scope"]


def test_an_app_in_a_browser_gets_a_message_from_its_pop_up(
    open_visitor: OpenVisitor, live_server: LiveServer, personas: Personas, app: App
) -> None:
    page = open_visitor().page
    page.goto(f"{app.url}/start")
    authorization_url = f"{live_server.url}{authorization_request(f'{app.url}/callback')}"
    with page.expect_popup() as opening:
        page.evaluate("url => { open(url) }", authorization_url)
    # The sign-in page in between must keep the opener.
    window = Visitor(opening.value, live_server.url)
    window.fill_sign_in_form(personas.bob.user.email, PASSWORD)
    window.expect_heading(re.compile("^Authorize "))
    window.page.get_by_role("button", name="Allow").click()
    page.wait_for_function("document.title.startsWith('received ')")
    assert "code=" in page.title()


def test_other_pages_leave_no_reference_to_their_window(
    open_visitor: OpenVisitor, live_server: LiveServer, app: App
) -> None:
    page = open_visitor().page
    page.goto(f"{app.url}/start")
    with page.expect_popup() as opening:
        page.evaluate("url => { open(url) }", f"{live_server.url}/sign-in?next=/members")
    # The window is empty at first, and the empty page has an opener.
    opening.value.wait_for_url(re.compile("/sign-in"))
    assert opening.value.evaluate("opener") is None


def test_a_private_scheme_leaves_an_explaining_page(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    redirect = "cursor://anysphere.cursor-mcp/oauth/callback"
    visitor = open_visitor(personas.bob)
    visitor.open(authorization_request(redirect))
    visitor.page.get_by_role("button", name="Allow").click()
    link = visitor.page.locator("#continue")
    assert (link.get_attribute("href") or "").startswith(f"{redirect}?code=")
    visitor.expect_heading(re.compile("App"))
