"""Credentials created or seen by a member: the organization's keys, project tokens, invitations."""

from dataclasses import dataclass

from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.keys import organization_keys_created_by
from visual_review.accounts.models import ApiKey, Membership
from visual_review.repositories.models import ProjectToken
from visual_review.repositories.tokens import tokens_seen_by
from visual_review.web.forms.keys import label_permissions


@dataclass(frozen=True)
class CreatedAccess:
    """Credentials outliving a membership: someone who saw a credential can still use it."""

    keys: list[tuple[ApiKey, list[str]]]
    tokens: list[ProjectToken]
    invitations: int

    @property
    def exists(self) -> bool:
        return bool(self.keys or self.tokens or self.invitations)


def find_created_access(membership: Membership) -> CreatedAccess:
    owned = membership.organization_id, membership.user_id
    keys = organization_keys_created_by(*owned)
    return CreatedAccess(
        keys=[(key, label_permissions(key.permissions)) for key in keys],
        tokens=list(tokens_seen_by(*owned)),
        invitations=open_invitations(membership.organization_id)
        .filter(invited_by_id=membership.user_id)
        .count(),
    )
