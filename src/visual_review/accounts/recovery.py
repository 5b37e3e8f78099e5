"""Password links created by the operator, for people without other help."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from visual_review.accounts.callers import caller_of_operator
from visual_review.accounts.links import password_link, password_token
from visual_review.accounts.members import PASSWORD_LINK_CREATED
from visual_review.accounts.models import User
from visual_review.audit.log import Change, Target, record
from visual_review.kernel.errors import NotFoundError


@transaction.atomic
def create_operator_password_link(email: str, client: str, *, remove_factors: bool) -> str:
    """Create a one-time link to choose a new password, for any account.

    ``remove_factors`` is for a person without their second factors, who then signs in without any.

    Recorded in the audit log of each of the person's organizations. Raises NotFoundError.
    """
    user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if user is None:
        raise NotFoundError(f"There is no account with the e-mail address {email}.")
    target = Target("user", user.id, user.email)
    changes = [Change(PASSWORD_LINK_CREATED, target)]
    if remove_factors and Authenticator.objects.filter(user=user).delete()[0]:
        changes.append(Change("factor.removed", target, after={"kind": "all"}))
    for organization_id in user.memberships.values_list("organization_id", flat=True):
        actor = caller_of_operator(organization_id).through("cli", client).actor()
        record(organization_id, actor, *changes)
    return password_link(user.id, password_token(user))
