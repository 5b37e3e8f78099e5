"""Toolsets: parts of the interface, for limiting a connection; pure."""

from typing import Any, Final, get_args

from visual_review.accounts.permissions import REPOS_VIEW
from visual_review.actions.action import Action, Toolset

TOOLSETS: Final[tuple[Toolset, ...]] = get_args(Toolset)
_BY_PERMISSION: Final[dict[str, tuple[Toolset, ...]]] = {
    "builds": ("review",),
    "repos": ("manage",),
    "recordings": ("recordings",),
}


def toolsets_of(action: Action[Any, Any]) -> tuple[Toolset, ...]:
    """Return the toolsets of ``action``: the named ones, else the permission's."""
    if action.toolsets:
        return action.toolsets
    # Every other action needs the id of a repository.
    if action.permission == REPOS_VIEW:
        return TOOLSETS
    return _BY_PERMISSION[action.permission.partition(":")[0]]
