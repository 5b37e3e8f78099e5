"""Records sign-ins, passwords and factors in the audit log of each of the user's organizations."""

from typing import Literal

from visual_review.accounts.keys import keys_usable_by
from visual_review.accounts.models import User
from visual_review.accounts.oauth.grants import own_grants
from visual_review.accounts.users import mail_password_change
from visual_review.audit.log import Actor, Change, Target, record

# The person at the sign-in is unknown, so the entry must not name the owner of the account.
_ANONYMOUS = Actor(kind="system", id="stranger", name="Someone", channel="web")


def record_sign_in(user: User) -> None:
    _record(user, _actor(user), "session.signed_in")


def record_sign_out(user: User) -> None:
    _record(user, _actor(user), "session.signed_out")


def record_failed_sign_in(email: str) -> None:
    """Record an attempt on an existing account; others belong to no organization."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is not None:
        _record(user, _ANONYMOUS, "session.sign_in_failed")


def record_factor(user: User, how: Literal["added", "removed", "renewed"], kind: str) -> None:
    _record(user, _actor(user), f"factor.{how}", {"kind": kind})


def record_ended_session(user: User, after: dict[str, str]) -> None:
    """Record that the person ended one of their sessions in another browser."""
    _record(user, _actor(user), "session.ended", after)


def record_password_change(user: User, how: Literal["changed", "reset"]) -> None:
    """Record the change, inform the person, and have the pages ask about their keys and apps.

    Must run in the transaction of the change.
    """
    _record(user, _actor(user), f"password.{how}")
    # Someone with the old password may have created or seen keys and apps; only the person knows.
    user.access_review_due = bool(keys_usable_by(user)) or own_grants(user).exists()
    user.save(update_fields=["access_review_due"])
    mail_password_change(user.pk)


def _actor(user: User) -> Actor:
    return Actor("user", user.id, str(user), "web")


def _record(user: User, actor: Actor, verb: str, after: dict[str, str] | None = None) -> None:
    change = Change(verb, Target("user", user.id, user.email), after=after)
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        record(organization_id, actor, change)
