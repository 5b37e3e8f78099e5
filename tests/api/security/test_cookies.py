"""Cookies and headers of a service whose public URL is https, and of one whose is not."""

import runpy
from http.cookies import SimpleCookie

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.pages import sign_in
from tests.support.personas import PASSWORD, Personas
from visual_review.config import settings as chosen_at_start
from visual_review.config.http.asgi import make_application
from visual_review.config.logs import mask

HTTPS = "https://reviews.example.com"
HTTP = "http://reviews.example.com"
NAMES = {"sessionid", "csrftoken"}


@pytest.fixture
def use_public_url(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> "UsePublicUrl":
    return UsePublicUrl(settings, monkeypatch)


class UsePublicUrl:
    """Applies the settings for another public URL."""

    def __init__(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.settings = settings
        self.monkeypatch = monkeypatch

    def __call__(self, public_url: str) -> None:
        self.monkeypatch.setenv("VISUAL_REVIEW_PUBLIC_URL", public_url)
        chosen = runpy.run_path(chosen_at_start.__file__)
        for name, value in chosen.items():
            if "COOKIE" in name or name in {"PUBLIC_URL", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS"}:
                setattr(self.settings, name, value)


def signed_in_over(public_url: str, email: str) -> tuple[Client, SimpleCookie]:
    """Sign in with the form, as a browser does: with the token and the origin of the page."""
    client = Client(enforce_csrf_checks=True, HTTP_HOST="reviews.example.com")
    secure = public_url == HTTPS
    page = client.get("/sign-in", secure=secure)
    form = {
        "login": email,
        "password": PASSWORD,
        "csrfmiddlewaretoken": page.context["csrf_token"],
    }
    response = client.post("/sign-in", form, secure=secure, headers={"origin": public_url})
    assert response.status_code == 302
    return client, client.cookies


def test_with_https_every_cookie_is_bound_to_the_host(
    personas: Personas, use_public_url: UsePublicUrl
) -> None:
    use_public_url(HTTPS)
    client, cookies = signed_in_over(HTTPS, personas.bob.user.email)
    # Pages with a message set nothing else.
    client.post("/account", {"name": "Bob"}, secure=True)
    assert set(cookies) == {f"__Host-{name}" for name in NAMES}
    for cookie in cookies.values():
        # The browsers' requirements for the prefix.
        assert cookie["secure"]
        assert (cookie["path"], cookie["domain"]) == ("/", "")
        assert cookie["samesite"] == "Lax"


def test_with_http_cookies_have_plain_names(
    personas: Personas, use_public_url: UsePublicUrl
) -> None:
    use_public_url(HTTP)
    _, cookies = signed_in_over(HTTP, personas.bob.user.email)
    assert set(cookies) == NAMES
    assert not any(cookie["secure"] for cookie in cookies.values())


def test_a_cookie_that_another_host_of_the_domain_can_set_is_not_read(
    personas: Personas, use_public_url: UsePublicUrl
) -> None:
    use_public_url(HTTPS)
    _, cookies = signed_in_over(HTTPS, personas.mallory.user.email)
    victim = Client(HTTP_HOST="reviews.example.com")
    for name in NAMES:
        victim.cookies[name] = cookies[f"__Host-{name}"].value
    response = victim.get("/account", secure=True)
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in")


def test_messages_need_no_cookie_of_their_own(personas: Personas) -> None:
    client = Client()
    sign_in(client, personas.bob.user.email)
    client.post("/account", {"name": "Robert"})
    assert "messages" not in client.cookies
    assert "Your name was saved." in client.get("/account").content.decode()


def headers_of_health_check(public_url: str, settings: Settings) -> httpx.Headers:
    settings.PUBLIC_URL = public_url
    application = make_application()

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url=public_url) as client:
            return await client.get("/healthz")

    with start_blocking_portal() as portal:
        return portal.call(ask).headers


def test_hsts_is_sent_with_an_https_public_url_only(settings: Settings) -> None:
    sent = headers_of_health_check(HTTPS, settings)
    assert sent["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in headers_of_health_check(HTTP, settings)


def test_the_log_hides_the_cookies() -> None:
    for name in sorted(NAMES):
        for prefix in ("", "__Host-"):
            assert "hidden" not in mask(f"Cookie: {prefix}{name}=hidden; theme=dark")
