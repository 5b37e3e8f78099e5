"""The answer of a consent arrives at the client, whatever browsers forbid, in a real one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.doors.oauth.flow import Flow
from tests.journeys.browsing import browser, new_visitor
from tests.personas import PASSWORD, Personas, make_personas
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register

__all__ = ["browser"]
OPENER = "<script>window.onmessage = event => { document.title = event.data }</script>"
TELLER = "<script>opener.postMessage('told ' + location.search, '*')</script>"


@dataclass
class App:
    """A client's own server: its start page, its callback, and where that leads to."""

    url: str = ""
    leads_to: str = ""
    queries: list[dict[str, list[str]]] = field(default_factory=list)


@contextmanager
def listening(app: App) -> Iterator[App]:
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            answered = parts.path == "/callback"
            if answered:
                app.queries.append(parse_qs(parts.query))
            redirected = answered and app.leads_to
            self.send_response(302 if redirected else 200)
            if redirected:
                self.send_header("Location", app.leads_to)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((TELLER if answered else OPENER).encode())

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        app.url = f"http://127.0.0.1:{server.server_port}"
        yield app
        server.shutdown()


@pytest.fixture
def app() -> Iterator[App]:
    with listening(App()) as app:
        yield app


@pytest.fixture
def people(live_server: LiveServer, settings: Settings) -> Personas:
    # Another host than the app's, as it is in life.
    settings.PUBLIC_URL = live_server.url
    return make_personas()


def asking(server: LiveServer, redirect: str, **changes: str) -> str:
    client = register(ClientFacts("App", (redirect,)))
    flow = Flow(client.client_id, Client(), redirect=redirect)
    return f"{server.url}{flow.address(**changes)}"


def sign_in(page: Page, personas: Personas) -> None:
    page.get_by_label("E-mail address").fill(personas.bob.user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("decision", ["Allow", "Refuse"])
def test_a_decision_arrives_also_where_the_app_leads_on_to_another_site(
    browser: Browser, live_server: LiveServer, people: Personas, app: App, decision: str
) -> None:
    with listening(App()) as thanks:
        app.leads_to = f"{thanks.url}/thanks"
        visitor = new_visitor(browser, live_server.url)
        visitor.page.goto(asking(live_server, f"{app.url}/callback"))
        sign_in(visitor.page, people)
        visitor.page.get_by_role("button", name=decision).click()
        visitor.page.wait_for_url(app.leads_to)
    assert visitor.complaints == []
    assert ("code" in app.queries[0]) is (decision == "Allow")
    assert app.queries[0]["iss"] == [live_server.url]


def test_a_fault_that_is_found_after_signing_in_arrives(
    browser: Browser, live_server: LiveServer, people: Personas, app: App
) -> None:
    visitor = new_visitor(browser, live_server.url)
    visitor.page.goto(asking(live_server, f"{app.url}/callback", scope="nonsense"))
    sign_in(visitor.page, people)
    visitor.page.wait_for_url(f"{app.url}/callback**")
    assert app.queries[0]["error"] == ["invalid_scope"]


def test_an_app_in_a_browser_hears_from_the_window_it_opened(
    browser: Browser, live_server: LiveServer, people: Personas, app: App
) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{app.url}/start")
    with page.expect_popup() as opening:
        page.evaluate("address => { open(address) }", asking(live_server, f"{app.url}/callback"))
    window = opening.value
    sign_in(window, people)
    window.get_by_role("button", name="Allow").click()
    page.wait_for_function("document.title.startsWith('told ')")
    assert "code=" in page.title()


def test_other_pages_let_nobody_hold_on_to_their_window(
    browser: Browser, live_server: LiveServer, people: Personas, app: App
) -> None:
    assert people
    page = browser.new_context().new_page()
    page.goto(f"{app.url}/start")
    with page.expect_popup() as opening:
        page.evaluate("address => { open(address) }", f"{live_server.url}/sign-in?next=/members")
    opening.value.wait_for_load_state()
    assert opening.value.evaluate("opener") is None


def test_a_private_scheme_leaves_a_page_that_says_what_happens(
    browser: Browser, live_server: LiveServer, people: Personas
) -> None:
    visitor = new_visitor(browser, live_server.url)
    redirect = "cursor://anysphere.cursor-mcp/oauth/callback"
    visitor.page.goto(asking(live_server, redirect))
    sign_in(visitor.page, people)
    visitor.page.get_by_role("button", name="Allow").click()
    link = visitor.page.locator("#continue")
    assert (link.get_attribute("href") or "").startswith(f"{redirect}?code=")
    assert "App" in visitor.heading()
