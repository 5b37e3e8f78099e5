"""Creates users, and checks their e-mail addresses and passwords."""

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from visual_review.accounts.models import User
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.kernel.queue import enqueue

NAME_LENGTH = 150
FORGOTTEN_MAIL = "mail_password_link"
CHANGED_MAIL = "mail_password_change"


def normalize_email(email: str) -> str:
    """Return the e-mail address trimmed and in lower case; raises InvalidInputError."""
    normal = email.strip().lower()
    try:
        validate_email(normal)
    except ValidationError as error:
        raise InvalidInputError(
            "This is not an e-mail address. Enter one like name@example.com.",
            [("/email", "This is not an e-mail address.")],
        ) from error
    return normal


def check_password(password: str, user: User | None = None) -> None:
    """Raise InvalidInputError if the password is not acceptable."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInputError(
            " ".join(error.messages), [("/password", message) for message in error.messages]
        ) from error


def create_user(email: str, password: str, name: str = "") -> User:
    """Create a user; raises InvalidInputError, and ConflictError if the account exists."""
    normal = normalize_email(email)
    shown = name.strip()[:NAME_LENGTH]
    # The validators reject a password similar to the name or e-mail address.
    check_password(password, User(email=normal, name=shown))
    if User.objects.filter(email=normal).exists():
        raise ConflictError("An account with this e-mail address already exists. Sign in instead.")
    return User.objects.create_user(normal, password, name=shown)


def mail_password_link(user_id: str) -> None:
    """Enqueue a mail with a link to reset the password; one at a time per person."""
    enqueue(FORGOTTEN_MAIL, once=f"{FORGOTTEN_MAIL}:{user_id}", user_id=user_id)


def mail_password_change(user_id: str) -> None:
    """Enqueue a mail about the changed password, if the service can send mail."""
    if settings.EMAIL_CONFIGURED:
        enqueue(CHANGED_MAIL, user_id=user_id, changed_at=rfc3339(now()))


def end_access_review(user: User) -> None:
    """Store that the person has looked at their keys and apps."""
    user.access_review_due = False
    user.save(update_fields=["access_review_due"])


def invalidate_password_links(user: User) -> None:
    """Invalidate all earlier links for resetting the user's password.

    An owner of the user's first organization may have a link, and could use the link to access the
    second organization.
    """
    # The signature of the links covers the last sign-in.
    user.last_login = now()
    user.save(update_fields=["last_login"])


@transaction.atomic
def rename(user: User, name: str) -> None:
    """Change the name of a user, and record the change in the audit log of each organization."""
    before = {"name": user.name}
    user.name = name.strip()[:NAME_LENGTH]
    user.save(update_fields=["name"])
    change = Change(
        "user.renamed", Target("user", user.id, user.email), before, {"name": user.name}
    )
    actor = Actor("user", user.id, str(user), "web")
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        record(organization_id, actor, change)
