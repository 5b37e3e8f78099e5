"""The tools offered by a connection: all, or fewer by limits in the URL and in a header.

``/api/mcp?tools=review`` and ``Visual-Review-Tools: review`` name toolsets. Both only remove tools,
so a client's URL cannot widen a proxy's limit in the header.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args
from urllib.parse import parse_qs

from django.conf import settings

from visual_review.accounts.permissions import REPOS_VIEW
from visual_review.actions.action import Action, Toolset
from visual_review.actions.registry import callable_actions, is_extended
from visual_review.kernel.errors import InvalidInputError

TOOLSETS: Final[tuple[Toolset, ...]] = get_args(Toolset)
_BY_PERMISSION: Final[dict[str, tuple[Toolset, ...]]] = {
    "builds": ("review",),
    "repos": ("manage",),
    "recordings": ("recordings",),
}
HEADER: Final = "Visual-Review-Tools"
PARAMETER: Final = "tools"
# Exactly the twenty actions, whatever the setting is.
PUBLISHED_ONLY: Final = "published"
NAMES: Final = (*TOOLSETS, PUBLISHED_ONLY)
SHOWN: Final = 80


def toolsets_of(action: Action[Any, Any]) -> tuple[Toolset, ...]:
    """Return the toolsets of ``action``: the named ones, else the permission's."""
    if action.toolsets:
        return action.toolsets
    # Every other action needs the id of a repository.
    if action.permission == REPOS_VIEW:
        return TOOLSETS
    return _BY_PERMISSION[action.permission.partition(":")[0]]


@dataclass(frozen=True)
class ToolSelection:
    """The limits of a connection; a tool is offered if in a toolset of each limit."""

    limits: tuple[frozenset[str], ...] = ()

    def actions(self) -> Iterator[Action[Any, Any]]:
        """Return the actions available as tools, in the order of the interface."""
        return (action for action in callable_actions() if self.offers(action))

    def offers(self, action: Action[Any, Any]) -> bool:
        extended = is_extended(action.name)
        if extended and not settings.EXTENSIONS:
            return False
        names = toolsets_of(action) if extended else (*toolsets_of(action), PUBLISHED_ONLY)
        return self._allows(names)

    def offers_extension(self, toolset: str) -> bool:
        """Whether extensions of ``toolset`` are offered, also extensions other than actions."""
        return bool(settings.EXTENSIONS) and self._allows((toolset,))

    def offers_toolset(self, toolset: str) -> bool:
        """Whether published tools of ``toolset`` are offered."""
        return self._allows((toolset, PUBLISHED_ONLY))

    def describe_unavailable(self, name: str) -> str:
        """Return the error for a call of an existing tool outside the selection."""
        limits = " and ".join(", ".join(sorted(limit)) for limit in self.limits)
        return (
            f"The tool '{name}' is not offered on this connection, which is limited to the "
            f"toolsets {limits}. Connect with other toolsets in '?{PARAMETER}=' or in the header "
            f"'{HEADER}' to use it."
        )

    def _allows(self, names: tuple[str, ...]) -> bool:
        return all(not limit.isdisjoint(names) for limit in self.limits)


EVERYTHING: Final = ToolSelection()


def read_selection(query: str, headers: Sequence[str]) -> ToolSelection:
    """Return the selection of a request; ``query`` is the query of its URL.

    Each parameter and each header is a limit of its own: a second one only removes tools, too.

    Raises InvalidInputError for a toolset that does not exist, or for a limit without a toolset.
    """
    values = parse_qs(query, keep_blank_values=True).get(PARAMETER, [])
    given = [(f"The parameter '{PARAMETER}' of the URL", value) for value in values]
    given += [(f"The header '{HEADER}'", value) for value in headers]
    return ToolSelection(tuple(_read_limit(where, text) for where, text in given))


def _read_limit(where: str, text: str) -> frozenset[str]:
    names = [name for name in (part.strip() for part in text.split(",")) if name]
    unknown = next((name for name in names if name not in NAMES), None)
    choice = f"Name one or more of {', '.join(NAMES)}, separated by commas."
    if unknown is not None:
        raise InvalidInputError(
            f"{where} names '{unknown[:SHOWN]}', which is not a toolset. {choice}"
        )
    if not names:
        raise InvalidInputError(f"{where} names no toolset. {choice}")
    return frozenset(names)
