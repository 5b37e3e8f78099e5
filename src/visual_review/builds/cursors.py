"""The cursor of a build: how much of it a reader has seen; pure."""

from dataclasses import dataclass
from typing import Final

from visual_review.kernel.errors import InvalidInputError

SEPARATOR: Final = "-"
# A number of 64 bits has no more digits.
MAX_DIGITS: Final = 18


@dataclass(frozen=True, order=True)
class Cursor:
    """``revision`` is the build's own, ``entry`` the id of the newest entry in its review log."""

    revision: int = 0
    entry: int = 0

    def __str__(self) -> str:
        return f"{self.revision}{SEPARATOR}{self.entry}"


def parse_cursor(text: str) -> Cursor:
    """Return the cursor that ``text`` was made from; raises InvalidInputError."""
    revision, _, entry = text.partition(SEPARATOR)
    numbers = [part for part in (revision, entry) if part.isascii() and part.isdigit()]
    if len(numbers) != 2 or any(len(part) > MAX_DIGITS for part in numbers):  # noqa: PLR2004 - The two of a cursor.
        raise InvalidInputError(f"'{text[:80]}' is not a cursor of a build. Reload the build.")
    return Cursor(int(revision), int(entry))
