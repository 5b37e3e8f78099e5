"""The cursor of a build: a short text, different after every change of the build's page.

Decisions write the review log while holding the build's lock, so the ids of a build's entries
become visible in their order, and the newest id stands for all entries. Other writes to screenshots
raise ``Build.revision``. The rest is a digest of columns of the build itself.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from visual_review.builds.models import Build, ReviewEntry, Thread
from visual_review.builds.threads.reading import revision_by_branch
from visual_review.kernel.errors import InvalidInputError

SEPARATOR: Final = "-"
NUMBERS: Final = 2
# A number of 64 bits has no more digits.
MAX_DIGITS: Final = 18
STATE_LENGTH: Final = 8
# The shown state of the build itself, and of the threads of its branch.
STATE_COLUMNS: Final = ("status", "review_state", "decided_at", "superseded_by_id", "threads")


@dataclass(frozen=True)
class Cursor:
    """``revision`` is the build's own, ``entry`` the id of the newest entry in its review log."""

    revision: int = 0
    entry: int = 0
    state: str = ""

    def __str__(self) -> str:
        return SEPARATOR.join((str(self.revision), str(self.entry), self.state))


def parse_cursor(text: str) -> Cursor:
    """Return the cursor from its text; raises InvalidInputError."""
    *parts, state = text.split(SEPARATOR, NUMBERS)
    numbers = [part for part in parts if part.isascii() and part.isdigit()]
    if len(numbers) != NUMBERS or any(len(part) > MAX_DIGITS for part in numbers):
        raise InvalidInputError(f"'{text[:80]}' is not a cursor of a build. Reload the build.")
    return Cursor(int(numbers[0]), int(numbers[1]), state[:STATE_LENGTH])


def read_cursors(build_ids: Collection[str]) -> dict[str, Cursor]:
    """Return the cursors by build id, in one query; missing builds are left out."""
    rows = with_cursors(Build.objects.filter(pk__in=build_ids))
    found = rows.values("pk", "revision", "entry", "entry_build", *STATE_COLUMNS)
    return {row["pk"]: _read(row) for row in found}


def with_cursors(rows: QuerySet[Build]) -> QuerySet[Build]:
    """Add the annotations for ``cursor_in`` to the rows."""
    # The newest entry of the build, or of an earlier build. With "build =", PostgreSQL may read the
    # whole log from its end in search of an entry of the build, which may have none.
    newest = ReviewEntry.objects.filter(build__lte=OuterRef("pk")).order_by("-build_id", "-id")
    of_branch = Thread.objects.filter(
        product=OuterRef("product"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
    )
    return rows.annotate(
        entry=Subquery(newest.values("id")[:1]),
        entry_build=Subquery(newest.values("build_id")[:1]),
        threads=Subquery(revision_by_branch(of_branch)),
    )


def cursor_in(build: Build) -> Cursor:
    """Return the cursor of a build from its annotations."""
    return _read(vars(build) | {"pk": build.pk})


def cursor_of(build_id: str) -> Cursor:
    """Return the cursor of an existing build."""
    return read_cursors([build_id])[build_id]


def find_decided_since(build_id: str, since: Cursor, most: int) -> list[str] | None:
    """Return the ids of the screenshots decided since, or None if there are more than ``most``."""
    entries = ReviewEntry.objects.filter(build=build_id, id__gt=since.entry)
    changed = entries.exclude(screenshot=None).order_by().values_list("screenshot_id", flat=True)
    found = list(changed.distinct()[: most + 1])
    return None if len(found) > most else [str(pk) for pk in found]


def _read(row: Mapping[str, Any]) -> Cursor:
    shown = " ".join(str(row[name]) for name in STATE_COLUMNS)
    digest = hashlib.sha256(shown.encode()).hexdigest()[:STATE_LENGTH]
    entry = row["entry"] if row["entry_build"] == row["pk"] else 0
    return Cursor(row["revision"], entry, digest)
