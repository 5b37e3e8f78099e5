"""How long keys of issuers are kept, and how often they are asked for."""

import pytest

from tests.doors.ci_identities import published
from visual_review.api.ci.issuer_keys import (
    KEPT_SECONDS,
    PAUSE_SECONDS,
    STALE_SECONDS,
    IssuerKeys,
    KeysUnreachableError,
    fetched,
)
from visual_review.kernel.errors import UnavailableError
from visual_review.repositories.identity_claims import Issuer

ISSUER = Issuer("https://issuer", "gitlab", "https://issuer", "https://issuer/keys")


class Ring:
    """Keys that a test publishes, and the time it lets pass."""

    def __init__(self) -> None:
        self.moment = 1000.0
        self.asked = 0
        self.body: bytes | None = published("first")
        self.keys = IssuerKeys(self._fetch, lambda: self.moment)

    def knows(self, key_id: str) -> bool:
        return self.keys.key(ISSUER, key_id) is not None

    def _fetch(self, _url: str) -> bytes:
        self.asked += 1
        if self.body is None:
            raise KeysUnreachableError("down")
        return self.body


def test_known_keys_are_asked_for_once_in_their_time() -> None:
    ring = Ring()
    for _ in range(3):
        assert ring.knows("first")
        ring.moment += KEPT_SECONDS / 4
    assert ring.asked == 1
    ring.moment += KEPT_SECONDS
    assert ring.knows("first")
    assert ring.asked == 2


def test_unknown_keys_are_asked_for_once_a_pause() -> None:
    ring = Ring()
    for _ in range(100):
        assert not ring.knows("made up")
    assert ring.asked == 1
    ring.moment += PAUSE_SECONDS
    ring.body = published("first", "second")
    assert ring.knows("second")
    assert ring.asked == 2


def test_known_keys_outlive_an_issuer_that_is_down_for_a_day_and_no_longer() -> None:
    ring = Ring()
    assert ring.knows("first")
    ring.body = None
    ring.moment += STALE_SECONDS
    assert ring.knows("first")
    ring.moment += 1
    with pytest.raises(UnavailableError, match="cannot be fetched"):
        ring.knows("first")


def test_a_withdrawn_key_is_forgotten_with_the_next_fetch() -> None:
    ring = Ring()
    assert ring.knows("first")
    ring.body = published("second")
    ring.moment += KEPT_SECONDS + 1
    assert not ring.knows("first")


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"keys": [1, {"kid": 3}]}', b"\xff"])
def test_an_answer_without_keys_gives_none(body: bytes) -> None:
    ring = Ring()
    ring.body = body
    try:
        assert not ring.knows("first")
    except UnavailableError:
        assert b"keys" not in body


def test_keys_are_fetched_over_https_only() -> None:
    with pytest.raises(KeysUnreachableError, match="https only"):
        fetched("http://issuer.example/keys")
