"""What a page has seen of a build: a short text that differs after every change of it.

Decisions write the review log while they hold the build's lock, so the ids of a build's entries
become visible in their order, and the newest one stands for all of them. What writes screenshots
otherwise raises ``Build.revision``.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, Subquery

from visual_review.builds.models import Build, ReviewEntry
from visual_review.kernel.errors import InvalidInputError

STATE_LENGTH: Final = 8
# Its own columns: whoever writes one of them needs to do nothing else.
STATE_COLUMNS: Final = ("status", "review_state", "decided_at", "superseded_by_id")
# What a 64-bit column of PostgreSQL holds has 19 digits.
LONGEST: Final = 60


@dataclass(frozen=True)
class ReviewCursor:
    """``log_id`` is the newest entry of the review log, 0 for none."""

    revision: int
    log_id: int
    state: str

    def __str__(self) -> str:
        return f"{self.revision}.{self.log_id}.{self.state}"


def parse_cursor(text: str) -> ReviewCursor:
    """Parse what a page sent back; raises InvalidInputError."""
    revision, _, rest = text.partition(".")
    log_id, _, state = rest.partition(".")
    numbers = (revision, log_id)
    if len(text) > LONGEST or not all(each.isascii() and each.isdigit() for each in numbers):
        raise InvalidInputError("The cursor is not one of this build's. Reload the page.")
    return ReviewCursor(int(revision), int(log_id), state)


def read_cursors(build_ids: Collection[str]) -> dict[str, ReviewCursor]:
    """Return the cursors by build id, in one query; builds that do not exist are left out."""
    newest = ReviewEntry.objects.filter(build=OuterRef("pk")).order_by("-id").values("id")[:1]
    rows = Build.objects.filter(pk__in=build_ids).annotate(log_id=Subquery(newest))
    return {
        row["pk"]: _cursor(row) for row in rows.values("pk", "revision", "log_id", *STATE_COLUMNS)
    }


def cursor_of(build_id: str) -> ReviewCursor:
    """Return the cursor of a build that exists."""
    return read_cursors([build_id])[build_id]


def _cursor(row: Mapping[str, Any]) -> ReviewCursor:
    shown = " ".join(str(row[name]) for name in STATE_COLUMNS)
    digest = hashlib.sha256(shown.encode()).hexdigest()[:STATE_LENGTH]
    return ReviewCursor(row["revision"], row["log_id"] or 0, digest)
