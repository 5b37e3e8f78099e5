"""A real OpenID Connect provider, the npm package ``oidc-provider``, in its own process."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urljoin

import httpx

from tests.support.node_process import node_process

INTERACTION: Final = re.compile(r"/interaction/[\w-]+")


@dataclass(frozen=True)
class OpenIdProvider:
    url: str
    process: "subprocess.Popen[str]" = field(repr=False)

    def change(self, **what: object) -> None:
        """Change ``people``, or the ``claims`` in place of the ID tokens' own."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline()

    def add_person(self, subject: str, **claims: object) -> None:
        self.change(people={subject: {"email_verified": True, **claims}})

    def remove_person(self, subject: str) -> None:
        self.change(people={subject: None})

    def register(self, redirect_uri: str, **metadata: object) -> Any:  # noqa: ANN401 - A JSON object.
        """Register a client; return its id and secret (RFC 7591)."""
        wanted: Mapping[str, object] = {
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "client_secret_post",
            **metadata,
        }
        response = httpx.post(f"{self.url}/reg", json=wanted)
        response.raise_for_status()
        return response.json()

    def sign_in(self, location: str, subject: str) -> str:
        """Sign in as a person in a browser of its own; return the target of the last redirect."""
        with httpx.Client() as browser:
            for _ in range(20):
                if not location.startswith(self.url):
                    return location
                response = browser.get(location)
                if response.is_redirect:
                    location = urljoin(location, response.headers["Location"])
                    continue
                location = self._fill_in(browser, location, response, subject)
        raise AssertionError(f"the sign-in did not end: {location}")

    def _fill_in(
        self, browser: httpx.Client, location: str, page: httpx.Response, subject: str
    ) -> str:
        found = INTERACTION.search(page.text)
        assert found, page.text
        prompt = "login" if 'value="login"' in page.text else "consent"
        form = {"prompt": prompt, "login": subject, "password": "any"}
        response = browser.post(urljoin(location, found[0]), data=form)
        assert response.is_redirect, response.text
        return urljoin(location, response.headers["Location"])


@contextmanager
def openid_provider() -> Iterator[OpenIdProvider]:
    """Run the provider until the block ends."""
    with node_process("openid.mjs") as (process, started):
        yield OpenIdProvider(started["url"], process)
