"""What a key may be given, whoever asks for whatever."""

from datetime import UTC, datetime, timedelta

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
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANYTHING = st.sets(st.one_of(st.sampled_from(sorted(permissions_of("owner"))), st.text(max_size=9)))
HELD = st.sampled_from(ROLES).map(permissions_of)


@given(wanted=ANYTHING, held=HELD)
def test_no_key_exceeds_what_its_maker_holds_nor_what_is_published(
    wanted: set[str], held: frozenset[str]
) -> None:
    for rule in (user_key_permissions, organization_key_permissions):
        try:
            given_to_it = set(rule(wanted, held))
        except (ForbiddenError, InvalidInputError):
            continue
        assert given_to_it == wanted
        assert given_to_it <= held & PUBLISHED


@given(held=HELD)
def test_everything_published_that_is_held_may_be_given(held: frozenset[str]) -> None:
    assert set(organization_key_permissions(held & PUBLISHED, held)) == held & PUBLISHED


def test_a_personal_key_may_follow_the_role_but_an_organizations_key_needs_a_permission() -> None:
    held = permissions_of("admin")
    assert user_key_permissions([], held) == []
    with pytest.raises(InvalidInputError):
        organization_key_permissions([], held)


@pytest.mark.parametrize("permission", ["keys:manage", "members:manage", "audit:view", "nonsense"])
def test_what_pages_alone_do_is_never_given_to_a_key(permission: str) -> None:
    with pytest.raises(InvalidInputError):
        user_key_permissions([permission], permissions_of("owner"))


def test_a_viewer_cannot_make_a_key_that_reviews() -> None:
    with pytest.raises(ForbiddenError):
        user_key_permissions(["builds:review"], permissions_of("viewer"))


@given(days=st.integers(-10, MAX_DAYS + 10))
def test_a_key_ends_after_its_days_or_is_refused(days: int) -> None:
    if 1 <= days <= MAX_DAYS:
        assert expiry(days, MOMENT) == MOMENT + timedelta(days=days)
    else:
        with pytest.raises(InvalidInputError):
            expiry(days, MOMENT)


def test_a_key_without_days_lasts_until_it_is_revoked() -> None:
    assert expiry(None, MOMENT) is None


def test_an_unreadable_name_is_refused(case: Case) -> None:
    for name in ("", "   ", "x" * 101, "two\nlines", "nul\0"):
        with case(repr(name)), pytest.raises(InvalidInputError):
            key_name(name)
