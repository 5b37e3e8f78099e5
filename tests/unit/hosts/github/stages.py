"""GitHub for the tests: a local server that pretends, and the adapter that calls it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.unit.hosts.github.pretender import INSTALLATION, GitHubPretender
from tests.unit.hosts.local_server import LocalServer, local_server
from tests.unit.hosts.stage import NAME, TOKEN, Stage
from visual_review.hosts.github import open_github
from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.patience import Patience


@cache
def app_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey) -> str:
    """As GitHub gives it: PKCS #1."""
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
class GitHubStage(Stage):
    pretender: GitHubPretender
    server: LocalServer


@contextmanager
def github_stage(credentials: Mapping[str, str]) -> Iterator[GitHubStage]:
    by_app = "app_id" in credentials
    world = MemoryWorld("memory://github", "visual-review[bot]" if by_app else "visual-review")
    world.add_repository(NAME)
    pretender = GitHubPretender(world, app_key().public_key() if by_app else None)
    with local_server(pretender.answer) as server:
        host = open_github(server.address, credentials, Patience(sleep=lambda _: None))
        try:
            yield GitHubStage(world, host, pretender, server)
        finally:
            host.close()


TOKEN_CREDENTIALS = {"token": TOKEN}
