"""Use the service's pages like a browser, for steps without an API."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Final

import httpx

from scripts.demo_folder import DemoError

RESPONSE_SECONDS: Final = 60
TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
SHOWN_SECRET: Final = re.compile(r'id="secret"[^>]*>([^<]+)<')
WEBHOOK_URL: Final = re.compile(r"<code>(https?://[^<]+/api/webhooks/[^<]+)</code>")


class Pages:
    """A signed-in session for reading pages and sending forms."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def text(self, path: str) -> str:
        return _text_of(self._client.get(path))

    def send(self, page: str, action: str, **fields: str) -> str:
        """Send the form on ``page`` to ``action``; return the next page."""
        found = TOKEN.search(self.text(page))
        if found is None:
            raise DemoError(f"There is no form on {page}.")
        form = {"csrfmiddlewaretoken": found[1], **fields}
        headers = {"Referer": str(self._client.base_url.join(page))}
        return _text_of(self._client.post(action, data=form, headers=headers))


@contextmanager
def signed_in(url: str, email: str, password: str) -> Iterator[Pages]:
    with httpx.Client(base_url=url, timeout=RESPONSE_SECONDS, follow_redirects=True) as client:
        pages = Pages(client)
        pages.send("/sign-in", "/sign-in", login=email, password=password)
        yield pages


def connect_gitea(pages: Pages, address: str, token: str) -> tuple[str, str]:
    """Connect an account; return the URL of its webhooks, and their signing secret."""
    page = pages.send(
        "/source-host", "/source-host", address=address, access="gitea-token", token=token
    )
    secret, webhooks = SHOWN_SECRET.search(page), WEBHOOK_URL.search(page)
    if secret is None or webhooks is None:
        raise DemoError(f"The account at {address} was not connected.")
    return unescape(webhooks[1]), unescape(secret[1]).strip()


def _text_of(response: httpx.Response) -> str:
    if response.status_code != httpx.codes.OK:
        raise DemoError(f"{response.url} returned {response.status_code}: {response.text[-800:]}")
    return response.text
