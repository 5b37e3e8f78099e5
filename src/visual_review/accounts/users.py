"""Making a user: the address and the password are checked here, whichever way they came."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from visual_review.accounts.models import User
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.kernel.queue import enqueue

NAME_LENGTH = 150
FORGOTTEN_MAIL = "mail_password_link"


def normal_email(email: str) -> str:
    """The address as it is stored: trimmed, lower case; raises InvalidInputError."""
    normal = email.strip().lower()
    try:
        validate_email(normal)
    except ValidationError as error:
        raise InvalidInputError(
            "This is no e-mail address. Write it like name@example.com.",
            [("/email", "This is no e-mail address.")],
        ) from error
    return normal


def check_password(password: str, user: User | None = None) -> None:
    """Raise InvalidInputError with what the password lacks."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInputError(
            " ".join(error.messages), [("/password", message) for message in error.messages]
        ) from error


def create_user(email: str, password: str, name: str = "") -> User:
    """A new user; raises InvalidInputError, and ConflictError for an address in use."""
    normal = normal_email(email)
    shown = name.strip()[:NAME_LENGTH]
    # The person is told to the rules, which refuse a password made of the name or address.
    check_password(password, User(email=normal, name=shown))
    if User.objects.filter(email=normal).exists():
        raise ConflictError("There is an account with this address. Sign in with it instead.")
    return User.objects.create_user(normal, password, name=shown)


def mail_password_link(user_id: str) -> None:
    """Have a link to a new password mailed by a job; one at a time for each person."""
    enqueue(FORGOTTEN_MAIL, once=f"{FORGOTTEN_MAIL}:{user_id}", user_id=user_id)


def end_password_links(user: User) -> None:
    """Make every link to a new password of this person useless that was handed out before.

    An owner of their first organization may hold one, and would get into the second with it.
    """
    # The links are signed over the last sign-in.
    user.last_login = now()
    user.save(update_fields=["last_login"])


@transaction.atomic
def rename(user: User, name: str) -> None:
    """Set the person's own name, and tell the log of each organization they belong to."""
    before = {"name": user.name}
    user.name = name.strip()[:NAME_LENGTH]
    user.save(update_fields=["name"])
    change = Change(
        "user.renamed", Target("user", user.id, user.email), before, {"name": user.name}
    )
    actor = Actor("user", user.id, str(user), "web")
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        record(organization_id, actor, change)
