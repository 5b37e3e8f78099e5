"""What the two scopes allow, and how another consent changes a grant."""

import pytest

from tests.support.case import Case
from visual_review.accounts.oauth.scopes import (
    intersect_scopes,
    limit_scope,
    may_change,
    merge_consent,
    permissions_in,
    scope_text,
)
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of


def test_write_includes_read() -> None:
    assert scope_text(["write"]) == "read write"
    assert scope_text(["write", "read", "read"]) == "read write"
    assert scope_text(["read"]) == "read"
    assert scope_text(["openid"]) == ""


def test_permissions_never_exceed_the_role_and_read_is_read_only(case: Case) -> None:
    for role in ROLES:
        with case(role):
            held = permissions_of(role)
            assert permissions_in("read write", held) == held & PUBLISHED
            viewable = permissions_in("read", held)
            assert viewable == {"repos:view", "builds:view", "recordings:view"}
            assert permissions_in("", held) == frozenset()
            assert permissions_in("other", held) == frozenset()


def test_a_viewer_cannot_grant_write() -> None:
    viewer, reviewer = permissions_of("viewer"), permissions_of("reviewer")
    assert not may_change(viewer)
    assert may_change(reviewer)
    assert limit_scope("read write", viewer) == "read"
    assert limit_scope("read write", reviewer) == "read write"
    assert limit_scope("read", reviewer) == "read"


@pytest.mark.parametrize(
    ("before", "offer", "granted", "after"),
    [
        ("read", "read write", "read write", "read write"),
        # Offered and declined: removed.
        ("read write", "read write", "read", "read"),
        # Not offered: unchanged.
        ("read write", "read", "read", "read write"),
        ("read", "read", "read", "read"),
    ],
)
def test_another_consent_changes_only_the_offered_scopes(
    before: str, offer: str, granted: str, after: str
) -> None:
    assert merge_consent(before, offer, granted) == after


def test_intersection() -> None:
    assert intersect_scopes("read write", "read") == "read"
    assert intersect_scopes("read write", "write read") == "read write"
