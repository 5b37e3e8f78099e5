"""An issuer of CI identity tokens on this machine: its keys over https, and tokens of any kind."""

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

from tests.support.oauth.document_hosts import Host, sends, serving
from tests.support.servers.client_documents import make_certificate
from visual_review.api.ci import identity_tokens
from visual_review.api.ci.issuer_keys import IssuerKeys, fetched

PUBLIC_URL: Final = "https://reviews.acme.example"
COMMIT: Final = "c0ffee1"
REPOSITORY_ID: Final = "4711"


@cache
def private_key(name: str) -> rsa.RSAPrivateKey:  # noqa: ARG001 - One key a name.
    return rsa.generate_private_key(65537, 2048)


def public_pem(name: str) -> bytes:
    return (
        private_key(name)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def published(*names: str) -> bytes:
    """The set of keys as issuers publish it."""
    keys = []
    for name in names:
        entry = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private_key(name).public_key()))
        keys.append({**entry, "kid": name, "use": "sig", "alg": "RS256"})
    return json.dumps({"keys": keys}).encode()


@dataclass
class Issuing:
    """``address`` is a host of one's own, which is GitLab and GitHub Enterprise at once."""

    host: Host

    @property
    def address(self) -> str:
        return f"https://localhost:{self.host.port}"

    @property
    def github(self) -> str:
        return f"{self.address}/_services/token"

    def publishes(self, *names: str) -> None:
        self.host.answer = sends(200, published(*names))

    def times(self) -> dict[str, int]:
        moment = int(time.time())
        return {"iat": moment - 10, "nbf": moment - 10, "exp": moment + 300}

    def push(self, **changes: object) -> dict[str, Any]:
        """The claims of a job of GitHub that runs for a push to main."""
        return {
            **self.times(),
            "iss": self.github,
            "aud": PUBLIC_URL,
            "sub": "repo:acme/web:ref:refs/heads/main",
            "repository": "acme/web",
            "repository_id": REPOSITORY_ID,
            "event_name": "push",
            "ref": "refs/heads/main",
            "sha": COMMIT,
            **changes,
        }

    def pull_request(self, **changes: object) -> dict[str, Any]:
        """The claims of a job of GitHub for pull request 7, from the branch feature."""
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
            "iss": self.address,
            "aud": PUBLIC_URL,
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
def issuing(folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuing]:
    """An issuer that the service knows, with the key ``first``; nothing of it is kept before."""
    certificate = folder / "issuer.pem"
    make_certificate(certificate)
    with serving(certificate) as host:
        issuer = Issuing(host)
        issuer.publishes("first")
        settings.SOURCE_HOSTS = (issuer.address,)
        settings.PUBLIC_URL = PUBLIC_URL
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        # Ports come again within a run of the tests, and with them addresses whose keys are kept.
        monkeypatch.setattr(identity_tokens, "KEYS", IssuerKeys(fetched))
        yield issuer
