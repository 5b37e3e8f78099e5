"""The cache of issuers' keys: its lifetime, and the number of fetches."""

import pytest

from tests.support.case import Case
from tests.support.ci.identities import published
from visual_review.api.ci.identity_tokens import (
    CACHE_SECONDS,
    PAUSE_SECONDS,
    STALE_SECONDS,
    IssuerKeys,
    KeysUnreachableError,
    fetch_keys,
)
from visual_review.kernel.errors import UnavailableError
from visual_review.repositories.identity_claims import Issuer

ISSUER = Issuer("https://issuer", "gitlab", "https://issuer", "https://issuer/keys")


class PublishedKeys:
    """Keys published by a test, and a clock moved by the test."""

    def __init__(self) -> None:
        self.moment = 1000.0
        self.requests = 0
        self.body: bytes | None = published("first")
        self.keys = IssuerKeys(self._fetch, lambda: self.moment)

    def knows(self, key_id: str) -> bool:
        return self.keys.key(ISSUER, key_id) is not None

    def _fetch(self, _url: str) -> bytes:
        self.requests += 1
        if self.body is None:
            raise KeysUnreachableError("down")
        return self.body


def test_known_keys_are_asked_for_once_in_their_time() -> None:
    published_keys = PublishedKeys()
    for _ in range(3):
        assert published_keys.knows("first")
        published_keys.moment += CACHE_SECONDS / 4
    assert published_keys.requests == 1
    published_keys.moment += CACHE_SECONDS
    assert published_keys.knows("first")
    assert published_keys.requests == 2


def test_unknown_keys_are_asked_for_once_a_pause() -> None:
    published_keys = PublishedKeys()
    for _ in range(100):
        assert not published_keys.knows("made up")
    assert published_keys.requests == 1
    published_keys.moment += PAUSE_SECONDS
    published_keys.body = published("first", "second")
    assert published_keys.knows("second")
    assert published_keys.requests == 2


def test_known_keys_outlive_an_issuer_that_is_down_for_a_day_and_no_longer() -> None:
    published_keys = PublishedKeys()
    assert published_keys.knows("first")
    published_keys.body = None
    published_keys.moment += STALE_SECONDS
    assert published_keys.knows("first")
    published_keys.moment += 1
    with pytest.raises(UnavailableError, match="cannot be fetched"):
        published_keys.knows("first")


def test_a_withdrawn_key_is_forgotten_with_the_next_fetch() -> None:
    published_keys = PublishedKeys()
    assert published_keys.knows("first")
    published_keys.body = published("second")
    published_keys.moment += CACHE_SECONDS + 1
    assert not published_keys.knows("first")


def test_a_response_without_keys_yields_no_key(case: Case) -> None:
    for body in (b"", b"[]", b"{}", b'{"keys": [1, {"kid": 3}]}', b"\xff"):
        with case(body):
            published_keys = PublishedKeys()
            published_keys.body = body
            try:
                assert not published_keys.knows("first")
            except UnavailableError:
                assert b"keys" not in body


def test_keys_are_fetched_over_https_only() -> None:
    with pytest.raises(KeysUnreachableError, match="https only"):
        fetch_keys("http://issuer.example/keys")
