"""Operations of the pages only: same caller, permission, transaction and audit path."""

from typing import Any

from visual_review.actions.action import Action

INTERNAL: tuple[Action[Any, Any], ...] = ()
