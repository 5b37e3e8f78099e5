"""The possible permissions, name and expiry of a new key."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.accounts.key_rules import (
    MAX_DAYS,
    expiry,
    key_name,
    organization_key_permissions,
    user_key_permissions,
)
from visual_review.accounts.members import loses_last_owner
from visual_review.accounts.permissions import OF_KEYS, PUBLISHED, ROLES, permissions_of
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANYTHING = st.sets(st.one_of(st.sampled_from(sorted(permissions_of("owner"))), st.text(max_size=9)))
HELD = st.sampled_from(ROLES).map(permissions_of)


@given(wanted=ANYTHING, held=HELD)
def test_a_key_has_only_permissions_of_keys_and_its_creator(
    wanted: set[str], held: frozenset[str]
) -> None:
    for rule in (user_key_permissions, organization_key_permissions):
        try:
            granted = set(rule(wanted, held))
        except (ForbiddenError, InvalidInputError):
            continue
        assert granted == wanted
        assert granted <= held & OF_KEYS


@given(held=HELD)
def test_a_key_can_have_all_permissions_of_keys_and_its_creator(held: frozenset[str]) -> None:
    assert set(organization_key_permissions(held & OF_KEYS, held)) == held & OF_KEYS


def test_only_a_personal_key_can_have_no_permissions_of_its_own() -> None:
    held = permissions_of("admin")
    assert user_key_permissions([], held) == []
    with pytest.raises(InvalidInputError):
        organization_key_permissions([], held)


@pytest.mark.parametrize("permission", ["keys:manage", "members:manage", "nonsense"])
def test_a_key_cannot_have_permissions_for_pages(permission: str) -> None:
    with pytest.raises(InvalidInputError):
        user_key_permissions([permission], permissions_of("owner"))


def test_a_viewer_cannot_create_a_key_that_reviews() -> None:
    with pytest.raises(ForbiddenError):
        user_key_permissions(["builds:review"], permissions_of("viewer"))


@given(days=st.integers(-10, MAX_DAYS + 10))
def test_a_key_expires_after_its_days_or_is_rejected(days: int) -> None:
    if 1 <= days <= MAX_DAYS:
        assert expiry(days, MOMENT) == MOMENT + timedelta(days=days)
    else:
        with pytest.raises(InvalidInputError):
            expiry(days, MOMENT)


def test_a_key_without_days_never_expires() -> None:
    assert expiry(None, MOMENT) is None


def test_an_unprintable_name_is_rejected(case: Case) -> None:
    for name in ("", "   ", "x" * 101, "two\nlines", "nul\0"):
        with case(repr(name)), pytest.raises(InvalidInputError):
            key_name(name)


ROLE = st.sampled_from(ROLES)


def test_each_role_includes_the_previous_one() -> None:
    for lower, higher in pairwise(ROLES):
        assert permissions_of(lower) < permissions_of(higher)
    assert permissions_of("owner") > PUBLISHED


@given(role=st.text(max_size=20))
def test_an_unknown_role_has_no_permissions(role: str) -> None:
    assert permissions_of(role) == frozenset() or role in ROLES


@given(
    roles=st.lists(ROLE, min_size=1, max_size=6).filter(lambda roles: "owner" in roles),
    changes=st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), ROLE)), max_size=12),
)
def test_an_owner_remains_after_any_allowed_changes(
    roles: list[str], changes: list[tuple[int, str | None]]
) -> None:
    for index, after in changes:
        if index >= len(roles):
            continue
        if loses_last_owner(roles[index], after, roles.count("owner")):
            continue
        roles[index : index + 1] = [] if after is None else [after]
    assert "owner" in roles


@pytest.mark.parametrize("before", ["viewer", "reviewer", "admin"])
def test_members_who_are_not_owners_can_always_leave(before: str) -> None:
    assert not loses_last_owner(before, None, owners=1)
