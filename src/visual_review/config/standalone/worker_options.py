"""How many jobs the worker of ``visual-review up`` runs at a time, from the environment."""

from collections.abc import Mapping

from visual_review.config.environment import EnvironmentInvalidError

CONCURRENCY = "VISUAL_REVIEW_WORKER_CONCURRENCY"
RECORDINGS = "VISUAL_REVIEW_WORKER_RECORDINGS"
DEFAULT_RECORDINGS = 2
MOST_DIGITS = 6


def read_worker_options(variables: Mapping[str, str]) -> tuple[int | None, int]:
    """Return how many builds (None: by the cores) and recordings are processed at a time."""
    builds = _read(variables, CONCURRENCY, least=1)
    recordings = _read(variables, RECORDINGS, least=0)
    return builds, DEFAULT_RECORDINGS if recordings is None else recordings


def _read(variables: Mapping[str, str], name: str, *, least: int) -> int | None:
    text = variables.get(name, "").strip()
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else -1
    if number < least:
        raise EnvironmentInvalidError(
            f"{name} must be an integer, {least} or greater, not '{text[:40]}'."
        )
    return number
