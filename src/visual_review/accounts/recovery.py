"""Password links that the operator creates, for people whom no one else can help."""

from django.db import transaction

from visual_review.accounts.callers import caller_of_operator
from visual_review.accounts.links import password_link, password_token
from visual_review.accounts.members import PASSWORD_LINK_CREATED
from visual_review.accounts.models import User
from visual_review.audit.log import Change, Target, record
from visual_review.kernel.errors import NotFoundError


@transaction.atomic
def create_operator_password_link(email: str, client: str) -> str:
    """Create a one-time link to choose a new password, for any account.

    Recorded in the audit log of each of the person's organizations. Raises NotFoundError.
    """
    user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if user is None:
        raise NotFoundError(f"There is no account with the e-mail address {email}.")
    change = Change(PASSWORD_LINK_CREATED, Target("user", user.id, user.email))
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        actor = caller_of_operator(organization_id).through("cli", client).actor()
        record(organization_id, actor, change)
    return password_link(user.id, password_token(user))
