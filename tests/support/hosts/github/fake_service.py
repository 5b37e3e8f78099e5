"""GitHub for tests: a local fake server, and the adapter as its client."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from scripts.local_host.memory import MemoryWorld

from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from tests.support.hosts.github.fake_github import INSTALLATION, FakeGitHub
from tests.support.hosts.local_server import LocalServer, local_server
from visual_review.hosts.github import access, open_github
from visual_review.hosts.responses import RetryPolicy


@cache
def app_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey) -> str:
    """Return the key in GitHub's format, PKCS #1."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def app_credentials() -> dict[str, str]:
    return {
        "app_id": "12345",
        "private_key": pem(app_key()),
        "installation_id": INSTALLATION,
    }


@dataclass(frozen=True)
class GitHubAdapter(AdapterUnderTest):
    fake_github: FakeGitHub
    server: LocalServer


@contextmanager
def app_key_read_once() -> Iterator[None]:
    """Cache the parsed key of the app: parsing takes longer than most tests."""
    with patch.object(access, "load_pem_private_key", _read_key):
        yield


@cache
def _read_key(pem: bytes, password: bytes | None) -> PrivateKeyTypes:
    return serialization.load_pem_private_key(pem, password)


@contextmanager
def github_adapter(credentials: Mapping[str, str]) -> Iterator[GitHubAdapter]:
    by_app = "app_id" in credentials
    world = MemoryWorld("memory://github", "visual-review[bot]" if by_app else "visual-review")
    world.add_repository(NAME)
    fake_github = FakeGitHub(world, app_key().public_key() if by_app else None)
    with local_server(fake_github.handle) as server, app_key_read_once():
        host = open_github(server.address, credentials, RetryPolicy(sleep=lambda _: None))
        try:
            yield GitHubAdapter(world, host, fake_github, server)
        finally:
            host.close()


TOKEN_CREDENTIALS = {"token": TOKEN}
