"""Operations of the pages only: same caller, permission, transaction and audit path."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.internal import restore_baseline

INTERNAL: tuple[Action[Any, Any], ...] = (restore_baseline.ACTION,)
