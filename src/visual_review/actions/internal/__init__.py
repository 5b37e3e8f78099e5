"""Operations of the pages only: same caller, permission, transaction and audit path."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.internal import (
    change_member_role,
    connect_app,
    create_api_key,
    create_password_link,
    disconnect_app,
    invite_member,
    refuse_app,
    remove_member,
    restore_baseline,
    revoke_api_key,
    revoke_invitation,
)

INTERNAL: tuple[Action[Any, Any], ...] = (
    change_member_role.ACTION,
    connect_app.ACTION,
    create_api_key.ACTION,
    create_password_link.ACTION,
    disconnect_app.ACTION,
    invite_member.ACTION,
    refuse_app.ACTION,
    remove_member.ACTION,
    restore_baseline.ACTION,
    revoke_api_key.ACTION,
    revoke_invitation.ACTION,
)
