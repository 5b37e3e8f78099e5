"""What the audit log is told of sign-ins and passwords: once for each organization of the person."""

from typing import Literal

from visual_review.accounts.models import User
from visual_review.audit.log import Actor, Change, Target, record

# Nobody knows who tried, so the log must not name the account's person as the one who acts.
_ANONYMOUS = Actor(kind="system", id="stranger", name="Somebody", channel="web")


def record_sign_in(user: User) -> None:
    _note(user, _actor(user), "session.signed_in")


def record_failed_sign_in(email: str) -> None:
    """An attempt on a known address; unknown ones belong to no organization's log."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is not None:
        _note(user, _ANONYMOUS, "session.sign_in_failed")


def record_password_change(user: User, how: Literal["changed", "reset"]) -> None:
    _note(user, _actor(user), f"password.{how}")


def _actor(user: User) -> Actor:
    return Actor("user", user.id, str(user), "web")


def _note(user: User, actor: Actor, verb: str) -> None:
    change = Change(verb, Target("user", user.id, user.email))
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        record(organization_id, actor, change)
