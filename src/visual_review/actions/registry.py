"""All actions. REST, MCP, OpenAPI, pages and the reference all read from here."""

from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings

from visual_review.actions.action import Action, Operation
from visual_review.actions.extended import EXTENDED
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.builds.near_names import SURE_LIKENESS, near_names
from visual_review.kernel.errors import NotFoundError

# Lower than for properties, because several are offered: delete_repo finds remove_repo, too.
_LIKENESS: Final = 0.6
_BY_NAME: dict[str, Operation[Any, Any]] = {
    action.name: action for action in (*PUBLISHED, *EXTENDED, *INTERNAL)
}
_PUBLISHED_BY_NAME: dict[str, Action[Any, Any]] = {action.name: action for action in PUBLISHED}
_EXTENDED_BY_NAME: dict[str, Action[Any, Any]] = {action.name: action for action in EXTENDED}


def published_actions() -> tuple[Action[Any, Any], ...]:
    """Return the published actions, in the order of the interface."""
    return PUBLISHED


def extended_actions() -> tuple[Action[Any, Any], ...]:
    """Return the extension actions; none where the setting leaves only the published ones."""
    return EXTENDED if settings.EXTENSIONS else ()


def callable_actions() -> tuple[Action[Any, Any], ...]:
    """Return the actions for programs: the published actions, then the extensions."""
    return (*PUBLISHED, *extended_actions())


def is_extended(name: str) -> bool:
    """Whether ``name`` is an extension action's, enabled or not."""
    return name in _EXTENDED_BY_NAME


def callable_action(name: str) -> Action[Any, Any]:
    """Return the action of the given name, published or, where enabled, extended.

    Raises NotFoundError; programs cannot call internal ones.
    """
    return _find(name, _callable_by_name())


def _callable_by_name() -> dict[str, Action[Any, Any]]:
    return _PUBLISHED_BY_NAME | _EXTENDED_BY_NAME if settings.EXTENSIONS else _PUBLISHED_BY_NAME


def _find(name: str, known: dict[str, Action[Any, Any]]) -> Action[Any, Any]:
    try:
        return known[name]
    except KeyError:
        raise NotFoundError(
            f"There is no action '{name[:80]}'.{nearest_action(name, known)} "
            "GET /api/openapi.json lists the actions."
        ) from None


def nearest_action(name: str, offered: Iterable[str] | None = None) -> str:
    """Return a question for a caller who wrote almost the name of an action, else nothing."""
    meant = [f"'{near}'" for near in near_actions(name, offered)]
    return f" Did you mean {' or '.join(meant)}?" if meant else ""


def near_actions(name: str, offered: Iterable[str] | None = None) -> list[str]:
    """Return the actions among ``offered``, by default all, that a caller may have meant.

    A single result is a misspelling of ``name``, or changes nothing: a hint to the nearest action
    would lead from one screenshot to approving all.
    """
    known = _callable_by_name()
    near = near_names(name, known if offered is None else list(offered), _LIKENESS)
    if len(near) != 1 or known[near[0]].read_only:
        return near
    # A prefix may reverse a long name, such as unapprove_all_screenshots.
    begins_alike = name[:1].lower() == near[0][:1]
    return near_names(name, near, SURE_LIKENESS) if begins_alike else []


def any_action(name: str) -> Operation[Any, Any]:
    """Return an action by name, internal ones included: for the pages."""
    # A missing name is a bug in our code, not a caller's mistake.
    return _BY_NAME[name]
