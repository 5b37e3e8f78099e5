"""All actions. REST, MCP, OpenAPI, pages and the reference all read from here."""

from typing import Any, Final

from visual_review.actions.action import Action
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.near_names import SURE_LIKENESS, near_names

# Lower than for properties, because several are offered: delete_repo finds remove_repo, too.
_LIKENESS: Final = 0.6
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
    meant = [f"'{near}'" for near in near_actions(name)]
    return f" Did you mean {' or '.join(meant)}?" if meant else ""


def near_actions(name: str) -> list[str]:
    """Return the published actions that a caller may have meant.

    One alone is a misspelling of ``name``, or changes nothing: a hint to the nearest would lead
    from one screenshot to approving all.
    """
    near = near_names(name, _PUBLISHED_BY_NAME, _LIKENESS)
    if len(near) != 1 or _PUBLISHED_BY_NAME[near[0]].read_only:
        return near
    # What is put in front reverses a long name, as of unapprove_all_screenshots.
    begins_alike = name[:1].lower() == near[0][:1]
    return near_names(name, near, SURE_LIKENESS) if begins_alike else []


def any_action(name: str) -> Action[Any, Any]:
    """Return an action by name, internal ones included: for the pages."""
    # A missing name is a bug in our code, not a caller's mistake.
    return _BY_NAME[name]
