"""Calls of published actions by programs: dispatches, and explains impossible ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action, InputT, ResultT
from visual_review.actions.dispatch import dispatch
from visual_review.builds.queries import BUILD_UNKNOWN, SCREENSHOT_UNKNOWN
from visual_review.kernel.errors import NotFoundError
from visual_review.recordings.uploads import RECORDING_UNKNOWN
from visual_review.repositories.queries import REPOSITORY_UNKNOWN

# Says more about an unknown id: its kind, and the action for listing such ids; pure.
#
# Only the text of the id and of the error decides, so the result reveals nothing about existing ids.

SHOWN: Final = 60


@dataclass(frozen=True)
class IdKind:
    """The meaning of an id, its prefix, and the action for listing such ids."""

    prefix: str
    noun: str
    listed_by: str


KINDS: Final[Mapping[str, IdKind]] = {
    "repoId": IdKind("repo_", "a repository", "list_repos"),
    "buildId": IdKind("build_", "a build", "list_builds"),
    "screenshotId": IdKind("shot_", "a screenshot", "get_build"),
    "recordingId": IdKind("rec_", "a recording", "list_recordings"),
}
# The domain's message on each; pages show the message, too, so it names no action.
UNKNOWN: Final[Mapping[str, str]] = {
    "repoId": REPOSITORY_UNKNOWN,
    "buildId": BUILD_UNKNOWN,
    "screenshotId": SCREENSHOT_UNKNOWN,
    "recordingId": RECORDING_UNKNOWN,
}


def explain_wrong_id(payload: Mapping[str, Any], error: NotFoundError) -> NotFoundError:
    """Return the error for the first id of another kind, else ``error`` with who lists ids."""
    for name, kind in KINDS.items():
        given = payload.get(name)
        if not isinstance(given, str):
            continue
        if not given.startswith(kind.prefix):
            text = (
                f"needs the id of {kind.noun}, which begins with '{kind.prefix}'; "
                f"{_describe(given)}. {kind.listed_by} lists them"
            )
            return NotFoundError(f"'{name}' {text}.", [(f"/{name}", text)])
        if str(error) == UNKNOWN[name]:
            text = f"is unknown; {kind.listed_by} lists the ids that exist"
            return NotFoundError(f"{error} {kind.listed_by} lists them.", [(f"/{name}", text)])
    return error


def _describe(given: str) -> str:
    shown = f"'{given[:SHOWN]}'"
    other = next((kind for kind in KINDS.values() if given.startswith(kind.prefix)), None)
    return f"{shown} is the id of {other.noun}" if other else f"{shown} is not one"


def call_published(
    action: Action[InputT, ResultT], caller: Caller, payload: Mapping[str, Any]
) -> ResultT:
    """Dispatch the call. Raises the errors of ``dispatch``, with an explanation of a wrong id."""
    try:
        return dispatch(action, caller, payload)
    except NotFoundError as error:
        raise explain_wrong_id(payload, error) from error
