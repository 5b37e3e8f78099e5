"""Operations for pages only, with the same checks, transaction and audit log as the others."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.internal import (
    change_host_credentials,
    change_member_role,
    check_host,
    connect_app,
    connect_host,
    create_api_key,
    create_password_link,
    disconnect_app,
    disconnect_host,
    invite_member,
    measure_storage,
    refuse_app,
    remove_member,
    renew_webhook_secret,
    restore_baseline,
    revoke_api_key,
    revoke_invitation,
    send_again,
    set_org_retention,
    set_repo_host,
    set_repo_identity,
    set_repo_retention,
)

INTERNAL: tuple[Action[Any, Any], ...] = (
    change_host_credentials.ACTION,
    change_member_role.ACTION,
    check_host.ACTION,
    connect_app.ACTION,
    connect_host.ACTION,
    create_api_key.ACTION,
    create_password_link.ACTION,
    disconnect_app.ACTION,
    disconnect_host.ACTION,
    invite_member.ACTION,
    measure_storage.ACTION,
    refuse_app.ACTION,
    remove_member.ACTION,
    renew_webhook_secret.ACTION,
    restore_baseline.ACTION,
    revoke_api_key.ACTION,
    revoke_invitation.ACTION,
    send_again.ACTION,
    set_org_retention.ACTION,
    set_repo_host.ACTION,
    set_repo_identity.ACTION,
    set_repo_retention.ACTION,
)
