"""Roles grow, and an organization never loses its last owner."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.accounts.members import loses_last_owner
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of

ROLE = st.sampled_from(ROLES)


def test_every_role_may_all_that_the_one_before_may() -> None:
    for lower, higher in pairwise(ROLES):
        assert permissions_of(lower) < permissions_of(higher)
    assert permissions_of("owner") > PUBLISHED


@given(role=st.text(max_size=20))
def test_a_name_that_is_no_role_may_nothing(role: str) -> None:
    assert permissions_of(role) == frozenset() or role in ROLES


@given(
    roles=st.lists(ROLE, min_size=1, max_size=6).filter(lambda roles: "owner" in roles),
    changes=st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), ROLE)), max_size=12),
)
def test_after_any_changes_that_the_rule_lets_through_an_owner_is_left(
    roles: list[str], changes: list[tuple[int, str | None]]
) -> None:
    for place, after in changes:
        if place >= len(roles):
            continue
        if loses_last_owner(roles[place], after, roles.count("owner")):
            continue
        roles[place : place + 1] = [] if after is None else [after]
    assert "owner" in roles


@pytest.mark.parametrize("before", ["viewer", "reviewer", "admin"])
def test_members_who_are_no_owners_can_always_change_or_leave(before: str) -> None:
    assert not loses_last_owner(before, None, owners=1)
