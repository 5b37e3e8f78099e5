"""Says which kind of id a property needs, when it was given another one; pure.

Only the text of the id decides, so it says nothing about what exists.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.kernel.errors import NotFoundError

SHOWN: Final = 60


@dataclass(frozen=True)
class IdKind:
    """What an id stands for, how it begins, and the action that lists such ids."""

    prefix: str
    noun: str
    listed_by: str


KINDS: Final[Mapping[str, IdKind]] = {
    "repoId": IdKind("repo_", "a repository", "list_repos"),
    "buildId": IdKind("build_", "a build", "list_builds"),
    "screenshotId": IdKind("shot_", "a screenshot", "get_build"),
    "recordingId": IdKind("rec_", "a recording", "list_recordings"),
}


def explain_wrong_id(payload: Mapping[str, Any]) -> NotFoundError | None:
    """Return the error for the first id that does not begin as its kind does."""
    for name, kind in KINDS.items():
        given = payload.get(name)
        if isinstance(given, str) and not given.startswith(kind.prefix):
            text = (
                f"needs the id of {kind.noun}, which begins with '{kind.prefix}'; "
                f"{_describe(given)}. {kind.listed_by} lists them"
            )
            return NotFoundError(f"'{name}' {text}.", [(f"/{name}", text)])
    return None


def _describe(given: str) -> str:
    shown = f"'{given[:SHOWN]}'"
    other = next((kind for kind in KINDS.values() if given.startswith(kind.prefix)), None)
    return f"{shown} is the id of {other.noun}" if other else f"{shown} is not one"
