"""Calls of programs go past the middleware of pages, and keep its protections."""

from contextlib import closing
from http.cookies import SimpleCookie
from typing import Any

import httpx
from django.core.handlers.wsgi import WSGIHandler
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.pages import sign_in
from tests.support.servers.in_process_service import InProcessService
from visual_review.config.http.machine_calls import MachineHandler, is_machine_call
from visual_review.kernel.blobs import blob_store

ACTION = "/api/rest/actions/list_repos"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# The server adds these headers to every response without its own.
SECURITY = {
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",
    "X-Content-Type-Options",
    "X-Frame-Options",
}
# Pages differ by the session, and error pages of programs do not.
ADDED = {*SECURITY, "Vary"}
KEY = "images/org_1/small.png"


def respond(handler: WSGIHandler, request: tuple[Any, ...]) -> HttpResponseBase:
    method, path, body, content_type, headers = request
    made = RequestFactory().generic(method, path, body, content_type, headers=headers)
    return handler.get_response(made)


def body_of(response: HttpResponseBase) -> bytes:
    with closing(response):
        return b"".join(bytes(part) for part in response)


def test_the_short_list_gives_the_same_responses(service: InProcessService, case: Case) -> None:
    bearer = {"Authorization": f"Bearer {user_key(service.personas.alice)}"}
    blob_store().put(KEY, b"image")
    link = blob_store().link(KEY, 600).removeprefix(service.url)
    short, full = MachineHandler(), WSGIHandler()
    for name, request in [
        ("an action", ("POST", ACTION, b"{}", JSON, bearer)),
        ("an invalid input", ("POST", ACTION, b"[]", JSON, bearer)),
        ("no key", ("POST", ACTION, b"{}", JSON, {})),
        ("a wrong method", ("GET", ACTION, b"", JSON, bearer)),
        ("an unknown action", ("POST", f"{ACTION}/x", b"{}", JSON, bearer)),
        ("an unknown URL", ("GET", "/api/nothing", b"", JSON, {})),
        ("a slash too many", ("GET", "/api/openapi.json/", b"", JSON, {})),
        ("another host", ("POST", ACTION, b"{}", JSON, {**bearer, "Host": "evil.example"})),
        ("the OpenAPI document", ("GET", "/api/openapi.json", b"", JSON, {})),
        ("CI", ("GET", "/api/ci/capture-plan", b"", JSON, {})),
        ("OAuth", ("POST", "/api/oauth/token", b"grant_type=x", FORM, {})),
        ("OAuth from a page", ("OPTIONS", "/api/oauth/token", b"", JSON, {})),
        ("a webhook", ("POST", "/api/webhooks/hosts/host_x", b"{}", JSON, {})),
        ("a file", ("GET", link, b"", "", {})),
        ("an unsigned link", ("GET", "/blobs/a/b", b"", "", {})),
        ("a shared image", ("GET", "/shared-pictures/wrong", b"", "", {})),
    ]:
        with case(name):
            assert is_machine_call(request[1].partition("?")[0])
            ours, theirs = respond(short, request), respond(full, request)
            assert ours.status_code == theirs.status_code
            assert body_of(ours) == body_of(theirs)
            expected = {k: v for k, v in theirs.items() if k not in ADDED or k in ours}
            assert dict(ours.items()) == expected
            assert not ours.cookies


def test_responses_keep_all_security_headers(service: InProcessService, case: Case) -> None:
    page = httpx.get(f"{service.url}/sign-in")
    blob_store().put(KEY, b"image")
    for name, response in [
        ("an action", httpx.post(f"{service.url}{ACTION}", json={})),
        ("an unknown URL", httpx.get(f"{service.url}/api/nothing")),
        ("an unsigned link", httpx.get(f"{service.url}/blobs/a/b")),
    ]:
        with case(name):
            for header in (*SECURITY, "Permissions-Policy"):
                assert response.headers[header] == page.headers[header]
    file = httpx.get(blob_store().link(KEY, 600))
    assert file.headers["X-Content-Type-Options"] == "nosniff"
    assert file.headers["Content-Security-Policy"] != page.headers["Content-Security-Policy"]


def test_a_session_is_neither_read_nor_begun(service: InProcessService) -> None:
    browser = Client()
    sign_in(browser, service.personas.alice.user.email)
    cookies = {name: morsel.value for name, morsel in SimpleCookie(browser.cookies).items()}
    assert "sessionid" in cookies
    response = httpx.post(f"{service.url}{ACTION}", json={}, cookies=cookies)
    assert response.status_code == 401
    assert "set-cookie" not in response.headers
    assert "vary" not in response.headers


def test_another_host_is_refused(service: InProcessService) -> None:
    bearer = {"Authorization": f"Bearer {user_key(service.personas.alice)}"}
    for host, status in [("evil.example", 400), ("localhost", 200)]:
        headers = {**bearer, "Host": host}
        response = httpx.post(f"{service.url}{ACTION}", json={}, headers=headers)
        assert response.status_code == status


def test_mcp_and_pages_are_not_calls_of_this_kind(case: Case) -> None:
    for path in ("/", "/sign-in", "/.well-known/oauth-authorization-server", "/apis", "/blobs"):
        with case(path):
            assert not is_machine_call(path)
