"""change_member_role, remove_member and create_password_link."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from tests.support.database import current_personas
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.invitations import accept_as_user
from visual_review.accounts.models import Membership
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    UnauthenticatedError,
)

CHANGE = any_action("change_member_role")
CREATE_KEY = any_action("create_api_key")
INVITE = any_action("invite_member")
PASSWORD_LINK = any_action("create_password_link")
REMOVE = any_action("remove_member")
WAYS = [(CHANGE, {"role": "viewer"}), (REMOVE, {}), (PASSWORD_LINK, {})]


def membership_of(persona: Persona) -> str:
    return Membership.objects.get(user=persona.user, organization=persona.organization).id


def change(personas: Personas, persona: Persona, role: str) -> None:
    payload = {"membershipId": membership_of(persona), "role": role}
    dispatch(CHANGE, personas.alice.caller, payload)


def test_a_role_changes_immediately_and_is_logged_with_both_roles(personas: Personas) -> None:
    change(personas, personas.carol, "admin")
    assert personas.carol.caller.may("repos:manage")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.before, entry.after) == (
        "member.role_changed",
        {"role": "viewer"},
        {"role": "admin"},
    )


def test_setting_the_same_role_writes_no_entry(personas: Personas) -> None:
    change(personas, personas.bob, "reviewer")
    assert not AuditEntry.objects.exists()


def test_the_last_owner_can_neither_step_down_nor_be_removed(personas: Personas) -> None:
    own = {"membershipId": membership_of(personas.alice)}
    with pytest.raises(ConflictError):
        dispatch(CHANGE, personas.alice.caller, {**own, "role": "admin"})
    with pytest.raises(ConflictError):
        dispatch(REMOVE, personas.alice.caller, own)
    change(personas, personas.bob, "owner")
    dispatch(REMOVE, personas.bob.caller, own)


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_simultaneously_leave_one() -> None:
    personas = current_personas()
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    together = Barrier(2)

    def remove(pair: tuple[Persona, Persona]) -> bool:
        by, whom = pair
        caller, payload = by.caller, {"membershipId": membership_of(whom)}
        together.wait()
        try:
            dispatch(REMOVE, caller, payload)
        except ConflictError:
            return False
        finally:
            connection.close()
        return True

    pairs = [(personas.alice, personas.bob), (personas.bob, personas.alice)]
    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(remove, pairs)) == [False, True]
    owners = Membership.objects.filter(organization=personas.alice.organization, role="owner")
    assert owners.count() == 1


def test_keys_of_a_removed_member_stay_revoked_when_they_return(personas: Personas) -> None:
    key = dispatch(CREATE_KEY, personas.bob.caller, {"scope": "user", "name": "laptop"}).key
    dispatch(REMOVE, personas.alice.caller, {"membershipId": membership_of(personas.bob)})
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key, "rest")
    invitation = dispatch(
        INVITE, personas.alice.caller, {"email": personas.bob.user.email, "role": "viewer"}
    )
    accept_as_user(invitation.secret, personas.bob.user)
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key, "rest")


@pytest.mark.parametrize(("action", "more"), WAYS)
@pytest.mark.parametrize("persona", ["bob", "carol"])
def test_only_owners_manage_members(
    personas: Personas, persona: str, action: object, more: dict[str, str]
) -> None:
    payload = {"membershipId": membership_of(personas.carol), **more}
    with pytest.raises(ForbiddenError):
        dispatch(action, getattr(personas, persona).caller, payload)  # type: ignore[arg-type]


@pytest.mark.parametrize(("action", "more"), WAYS)
def test_another_organizations_member_is_unknown(
    personas: Personas, action: object, more: dict[str, str]
) -> None:
    payload = {"membershipId": membership_of(personas.bob), **more}
    with pytest.raises(NotFoundError):
        dispatch(action, personas.mallory.caller, payload)  # type: ignore[arg-type]


def test_no_password_link_is_created_for_members_of_several_organizations(
    personas: Personas,
) -> None:
    Membership.objects.create(
        organization=personas.mallory.organization, user=personas.bob.user, role="viewer"
    )
    for owner in (personas.alice, personas.mallory):
        place = Membership.objects.get(organization=owner.organization, user=personas.bob.user)
        with pytest.raises(ConflictError):
            dispatch(PASSWORD_LINK, owner.caller, {"membershipId": place.id})


def test_a_password_link_is_logged_without_its_token(personas: Personas) -> None:
    result = dispatch(
        PASSWORD_LINK, personas.alice.caller, {"membershipId": membership_of(personas.bob)}
    )
    assert result.token
    rows = str(list(AuditEntry.objects.values()))
    assert "password.link_created" in rows
    assert result.token not in rows
    assert personas.bob.user.check_password(PASSWORD)
