"""One test case of a report."""

from dataclasses import dataclass

from visual_review.client.recordings.found_videos import Outcome
from visual_review.client.recordings.text_fields import SEPARATOR


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; ``attached`` are the files that its output names."""

    name: str
    suite: str
    file: str
    outcome: Outcome
    error: str = ""
    duration_ms: int = 0
    ran_at: str = ""
    attached: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return SEPARATOR.join(filter(None, (self.suite, self.name)))
