"""All actions. REST, MCP, OpenAPI, pages and the reference all read from here."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.internal import INTERNAL
from visual_review.actions.near_names import nearest_name
from visual_review.actions.published import PUBLISHED
from visual_review.kernel.errors import NotFoundError

_BY_NAME: dict[str, Action[Any, Any]] = {action.name: action for action in (*PUBLISHED, *INTERNAL)}
_PUBLISHED_BY_NAME: dict[str, Action[Any, Any]] = {action.name: action for action in PUBLISHED}


def published_actions() -> tuple[Action[Any, Any], ...]:
    """Return the published actions, in the order of the interface."""
    return PUBLISHED


def published_action(name: str) -> Action[Any, Any]:
    """Return the published action of that name; programs cannot call internal ones."""
    try:
        return _PUBLISHED_BY_NAME[name]
    except KeyError:
        raise NotFoundError(
            f"There is no action '{name[:80]}'.{nearest_action(name)} "
            "GET /api/openapi.json lists the actions."
        ) from None


def nearest_action(name: str) -> str:
    """Return a question for a caller who wrote almost the name of an action, else nothing."""
    meant = nearest_name(name, _PUBLISHED_BY_NAME)
    return f" Did you mean '{meant}'?" if meant else ""


def any_action(name: str) -> Action[Any, Any]:
    """Return an action by name, internal ones included: for the pages."""
    # A missing name is a bug in our code, not a caller's mistake.
    return _BY_NAME[name]
