"""The published actions, one file each, in the order of the interface."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.published import list_repos

PUBLISHED: tuple[Action[Any, Any], ...] = (list_repos.ACTION,)
