"""The name that a caller probably meant; pure."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

# Comparing takes time in proportion to the length, and no name of ours is as long.
LONGEST: Final = 60
LIKENESS: Final = 0.7


def nearest_name(given: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``given`` resembles, or None.

    Names in another style are the same name: ``repo_id``, ``RepoID`` and ``repo-id``.
    """
    if len(given) > LONGEST:
        return None
    by_letters = {_letters(name): name for name in known}
    wanted = _letters(given)
    found = [wanted] if wanted in by_letters else get_close_matches(wanted, by_letters, 1, LIKENESS)
    return by_letters[found[0]] if found else None


def _letters(name: str) -> str:
    return "".join(character for character in name if character.isalnum()).casefold()
