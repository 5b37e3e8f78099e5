"""Operations for pages only, with the same checks, transaction and audit log as the others."""

from typing import Any

from visual_review.actions.action import Operation
from visual_review.actions.internal import (
    api_keys,
    connected_apps,
    decisions,
    host_account,
    members,
    messages,
    repository_settings,
    retention,
    retries,
    sign_in,
    threads,
)

INTERNAL: tuple[Operation[Any, Any], ...] = (
    *api_keys.ACTIONS,
    *connected_apps.ACTIONS,
    *decisions.ACTIONS,
    *host_account.ACTIONS,
    *members.ACTIONS,
    *messages.ACTIONS,
    *repository_settings.ACTIONS,
    *retention.ACTIONS,
    *retries.ACTIONS,
    *sign_in.ACTIONS,
    *threads.ACTIONS,
)
