"""What the two scopes allow, and what becomes of a grant when a person is asked again."""

import pytest

from tests.support.case import Case
from visual_review.accounts.oauth.scopes import (
    both,
    granted_now,
    may_change,
    offered,
    permissions_in,
    scope_text,
)
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of


def test_who_may_write_may_read() -> None:
    assert scope_text(["write"]) == "read write"
    assert scope_text(["write", "read", "read"]) == "read write"
    assert scope_text(["read"]) == "read"
    assert scope_text(["openid"]) == ""


def test_permissions_never_exceed_the_role_and_read_only_sees(case: Case) -> None:
    for role in ROLES:
        with case(role):
            held = permissions_of(role)
            assert permissions_in("read write", held) == held & PUBLISHED
            seen = permissions_in("read", held)
            assert seen == {"repos:view", "builds:view", "recordings:view"}
            assert permissions_in("", held) == frozenset()
            assert permissions_in("other", held) == frozenset()


def test_a_viewer_has_no_changes_to_give() -> None:
    viewer, reviewer = permissions_of("viewer"), permissions_of("reviewer")
    assert not may_change(viewer)
    assert may_change(reviewer)
    assert offered("read write", viewer) == "read"
    assert offered("read write", reviewer) == "read write"
    assert offered("read", reviewer) == "read"


@pytest.mark.parametrize(
    ("before", "offer", "granted", "after"),
    [
        ("read", "read write", "read write", "read write"),
        # Offered and not given: taken back.
        ("read write", "read write", "read", "read"),
        # Not asked about: as it was.
        ("read write", "read", "read", "read write"),
        ("read", "read", "read", "read"),
    ],
)
def test_a_further_consent_decides_what_was_asked(
    before: str, offer: str, granted: str, after: str
) -> None:
    assert granted_now(before, offer, granted) == after


def test_what_stands_in_both() -> None:
    assert both("read write", "read") == "read"
    assert both("read write", "write read") == "read write"
