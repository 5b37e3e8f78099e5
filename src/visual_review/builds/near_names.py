"""Guesses of the intended name; pure."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

# Comparing takes time in proportion to the length, and no name of ours is as long. Who
# compares names of others must bound how many there are, and how long.
LONGEST: Final = 60
LIKENESS: Final = 0.7
# Above this likeness, names differ by a letter; below, perhaps by a word with another meaning.
SURE_LIKENESS: Final = 0.94
MOST_NAMES: Final = 3


def nearest_name(given: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``given`` resembles, or None.

    Names in another style are the same name: ``repo_id``, ``RepoID`` and ``repo-id``.
    """
    return next(iter(near_names(given, known)), None)


def near_names(
    given: str, known: Iterable[str], likeness: float = LIKENESS, longest: int = LONGEST
) -> list[str]:
    """Return the known names that ``given`` resembles, the nearest first; sure matches alone."""
    if len(given) > longest:
        return []
    by_letters = {_letters(name): name for name in known}
    wanted = _letters(given)
    found = (
        [wanted]
        if wanted in by_letters
        else get_close_matches(wanted, by_letters, MOST_NAMES, SURE_LIKENESS)
        or get_close_matches(wanted, by_letters, MOST_NAMES, likeness)
    )
    return [by_letters[letters] for letters in found]


def _letters(name: str) -> str:
    return "".join(character for character in name if character.isalnum()).casefold()
