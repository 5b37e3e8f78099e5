"""Recordings as JSON."""

from pydantic import Field

from visual_review.actions.schema import ActionResult
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.read_models import RecordingRow
from visual_review.recordings.states import Outcome, Status
from visual_review.recordings.urls import recording_page


class LinkedTestResult(ActionResult):
    """The test that a recording shows, the same across runs."""

    id: str
    suite: str
    title: str
    file: str


class StepResult(ActionResult):
    """A step of the test; times are milliseconds from the start of the video."""

    title: str
    start_ms: int
    duration_ms: int
    story_id: str | None


class RecordingResult(ActionResult):
    """A recording as lists show it: ``status`` is the video's, ``outcome`` the test's own."""

    id: str
    title: str
    product_key: str
    test: LinkedTestResult | None
    project: str | None
    outcome: Outcome | None
    retry: int
    status: Status
    duration_ms: int | None = Field(description="Null until it is ready.")
    branch: str | None
    commit: str | None
    pull_request: int | None
    created_at: str
    url: str


def recording_fields(row: RecordingRow) -> dict[str, object]:
    """Return the fields that every view of a recording shows."""
    return {
        "id": row.id,
        "title": row.title,
        "product_key": row.product__key,
        "test": _test_fields(row),
        # Text columns are empty where JSON has null.
        "project": row.project or None,
        "outcome": row.outcome or None,
        "retry": row.retry,
        "status": row.status,
        "duration_ms": row.duration_ms,
        "branch": row.branch or None,
        "commit": row.commit or None,
        "pull_request": row.pull_request,
        "created_at": rfc3339(row.created_at),
        "url": recording_page(row.id),
    }


def _test_fields(row: RecordingRow) -> dict[str, object] | None:
    if row.test_id is None:
        return None
    return {
        "id": row.test_id,
        "suite": row.test__suite,
        "title": row.test__title,
        "file": row.test__file,
    }
