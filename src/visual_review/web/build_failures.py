"""Failed screenshots of a build: each message once, with the screenshots that have it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import FAILED

# The same fault often breaks all stories; no one reads a thousand names.
SHOWN_SCREENSHOTS: Final = 20


@dataclass
class Failure:
    """A message, and the first of the screenshots that have it."""

    message: str
    screenshots: list[Screenshot] = field(default_factory=list)
    count: int = 0

    @property
    def more(self) -> int:
        return self.count - len(self.screenshots)


def load_failures(build: Build, story_id: str = "") -> Sequence[Failure]:
    """Return the failures, the most frequent message first; of one story or of all."""
    rows = Screenshot.objects.filter(build=build, detection_only=False, diff_state=FAILED)
    if story_id:
        rows = rows.filter(story_id=story_id)
    columns = ("id", "story_id", "title", "theme", "device", "message")
    found: dict[str, Failure] = {}
    for row in rows.only(*columns).order_by("story_id", "theme", "device"):
        failure = found.setdefault(row.message, Failure(row.message))
        failure.count += 1
        if failure.count <= SHOWN_SCREENSHOTS:
            failure.screenshots.append(row)
    return sorted(found.values(), key=lambda failure: -failure.count)
