"""The states of a recording, and the outcomes of a test; pure."""

from typing import Final, Literal, get_args

Status = Literal["uploading", "processing", "ready", "failed"]
Outcome = Literal["passed", "failed", "timed_out", "skipped", "interrupted", "flaky"]

UPLOADING: Final = "uploading"
PROCESSING: Final = "processing"
READY: Final = "ready"
FAILED: Final = "failed"
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
