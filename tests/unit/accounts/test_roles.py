"""Each role includes the previous one, and an organization keeps its last owner."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.accounts.members import loses_last_owner
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of

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
