"""An issuer of CI identity tokens on this machine: keys over HTTPS, and tokens."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pytest_django.fixtures import Settings

from tests.support.oauth.document_hosts import Host, send_response, serving
from tests.support.servers.client_documents import make_certificate
from visual_review.api.ci import identity_tokens
from visual_review.api.ci.identity_tokens import IssuerKeys, fetch_keys
from visual_review.repositories.identities import audience_of

PUBLIC_URL: Final = "https://reviews.acme.example"
COMMIT: Final = "c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ff"
REPOSITORY_ID: Final = "4711"


@cache
def private_key(name: str) -> rsa.RSAPrivateKey:  # noqa: ARG001 - One key for each name.
    return rsa.generate_private_key(65537, 2048)


def public_pem(name: str) -> bytes:
    return (
        private_key(name)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def published(*names: str) -> bytes:
    """Return the key set in the form that issuers publish."""
    keys = []
    for name in names:
        entry = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private_key(name).public_key()))
        keys.append({**entry, "kid": name, "use": "sig", "alg": "RS256"})
    return json.dumps({"keys": keys}).encode()


@dataclass
class TokenIssuer:
    """An issuer at ``url``, a self-hosted GitLab and GitHub Enterprise in one."""

    host: Host
    # Of the tokens; tests set the audience of their repository.
    audience: str = PUBLIC_URL

    def use(self, repository_id: str) -> None:
        """Issue tokens for the given repository of the service from now on."""
        self.audience = audience_of(repository_id)

    @property
    def url(self) -> str:
        return f"https://localhost:{self.host.port}"

    @property
    def github(self) -> str:
        return f"{self.url}/_services/token"

    def publishes(self, *names: str) -> None:
        self.host.respond = send_response(200, published(*names))

    def times(self) -> dict[str, int]:
        now = int(time.time())
        return {"iat": now - 10, "nbf": now - 10, "exp": now + 300}

    def push(self, **changes: object) -> dict[str, Any]:
        """Return the claims of a GitHub job for a push to main."""
        return {
            **self.times(),
            "iss": self.github,
            "aud": self.audience,
            "sub": "repo:acme/web:ref:refs/heads/main",
            "repository": "acme/web",
            "repository_id": REPOSITORY_ID,
            "event_name": "push",
            "ref": "refs/heads/main",
            "sha": COMMIT,
            **changes,
        }

    def pull_request(self, **changes: object) -> dict[str, Any]:
        """Return the claims of a GitHub job for pull request 7, from the branch feature."""
        return self.push(
            **{
                "sub": "repo:acme/web:pull_request",
                "event_name": "pull_request",
                "ref": "refs/pull/7/merge",
                "sha": "merged1",
                "head_ref": "feature",
                "base_ref": "main",
                **changes,
            }
        )

    def gitlab(self, **changes: object) -> dict[str, Any]:
        return {
            **self.times(),
            "iss": self.url,
            "aud": self.audience,
            "sub": "project_path:acme/web:ref_type:branch:ref:main",
            "project_path": "acme/web",
            "project_id": REPOSITORY_ID,
            "pipeline_source": "push",
            "ref": "main",
            "ref_type": "branch",
            "sha": COMMIT,
            **changes,
        }


def signed(
    claims: dict[str, Any], key: str = "first", headers: dict[str, Any] | None = None
) -> str:
    return jwt.encode(claims, private_key(key), algorithm="RS256", headers=headers or {"kid": key})


@contextmanager
def issuing(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TokenIssuer]:
    """An issuer known to the service, with the key ``first`` and nothing cached."""
    certificate = folder / "issuer.pem"
    make_certificate(certificate)
    with serving(certificate) as host:
        issuer = TokenIssuer(host)
        issuer.publishes("first")
        settings.SOURCE_HOSTS = (issuer.url,)
        settings.PUBLIC_URL = PUBLIC_URL
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        # Ports are reused within a test run, and keys are cached by URL.
        monkeypatch.setattr(identity_tokens, "KEYS", IssuerKeys(fetch_keys))
        yield issuer
