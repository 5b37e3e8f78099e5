"""Recordings and enrollments as JSON."""

from typing import Any, Self

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionResult, Link, Timestamp
from visual_review.billing.periods import Payer
from visual_review.billing.prices import decimal_of
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.enrollment import PricedEnrollment
from visual_review.recordings.links import recording_page
from visual_review.recordings.read_models import RecordingRow
from visual_review.recordings.states import Outcome, Status


class LinkedTestResult(ActionResult):
    """The test that a recording shows, the same across runs."""

    id: str = Field(
        description="Id of the test, the same for each of its recordings.",
        examples=["test_01jq3v8e6m5x0c2n9d4t7r1kzm"],
    )
    suite: str = Field(
        description="Titles of the suites around it; empty without any.", examples=["Login"]
    )
    title: str = Field(description="Title of the test.", examples=["shows an error"])
    file: str = Field(
        description="Path of the test's file in the repository.", examples=["tests/login.spec.ts"]
    )


class StepResult(ActionResult):
    """A step of the test."""

    title: str = Field(description="Title of the step.", examples=["Click the login button"])
    start_ms: int = Field(description="Milliseconds from the start of the video.", examples=[1250])
    duration_ms: int = Field(description="Duration in milliseconds.", examples=[430])
    story_id: str | None = Field(
        description="Id of the story in the step; null without a story.",
        examples=["button--primary"],
    )


class RecordingResult(ActionResult):
    """A recording as lists show it: the video of a test run."""

    id: str = Field(
        description="Id of the recording; `recordingId` in other actions.",
        examples=["rec_01jq3v8e6m5x0c2n9d4t7r1kzd"],
    )
    title: str = Field(description="Title of the recorded test.", examples=["Login shows an error"])
    product_key: str = Field(description="Key of the product.", examples=["default"])
    test: LinkedTestResult | None = Field(
        description="The recorded test; null where CI named none."
    )
    project: str | None = Field(
        description="Project of the test framework, such as a browser; null without one.",
        examples=["chromium"],
    )
    outcome: Outcome | None = Field(
        description="How the test ended; null where CI did not say.", examples=["failed"]
    )
    retry: int = Field(
        description="Number of the repetition of a failed test; 0 for the first run.", examples=[0]
    )
    status: Status = Field(
        description="What the service has done with the video; only a ready one can be watched.",
        examples=["ready"],
    )
    duration_ms: int | None = Field(
        description="Milliseconds of the video; null until ready.", examples=[5400]
    )
    branch: str | None = Field(
        description="The tested branch; null where CI named none.",
        examples=["feature/login"],
    )
    commit: str | None = Field(
        description="The tested commit; null where CI named none.",
        examples=["4f9c1d7be0a2638517c4d0e9ab35f2c6718d9e04"],
    )
    pull_request: int | None = Field(
        description="Number of the pull request; null without one.", examples=[42]
    )
    created_at: Timestamp = Field(
        description="When CI announced the recording.", examples=["2026-03-14T09:26:53.000Z"]
    )
    url: Link = Field(
        description="Page of the recording.",
        examples=["https://review.example.com/recordings/rec_01jq3v8e6m5x0c2n9d4t7r1kzd"],
    )


def recording_fields(row: RecordingRow) -> dict[str, object]:
    """Return the fields of a recording in every view."""
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


class EnrollmentResult(ActionResult):
    """Whether recordings are enabled for a repository, and their price."""

    repo_id: RepoId
    enabled: bool = Field(description="Whether CI may upload recordings.", examples=[True])
    enabled_at: Timestamp | None = Field(
        description="When they were last enabled; null if never.",
        examples=["2026-03-14T09:26:53Z"],
    )
    disabled_at: Timestamp | None = Field(
        description="When recordings were disabled; null while enabled, or if never enabled.",
        examples=[None],
    )
    price_per_month: str = Field(
        description="Amount and currency: as charged, or as they would be charged if enabled.",
        examples=["9.00 EUR"],
    )

    @classmethod
    def of(cls, found: PricedEnrollment) -> Self:
        row = found.enrollment
        return cls(
            repo_id=row.repository_id,
            enabled=row.enabled,
            enabled_at=rfc3339(row.enabled_at) if row.enabled_at else None,
            disabled_at=rfc3339(row.disabled_at) if row.disabled_at else None,
            price_per_month=format_price(found),
        )


def format_price(found: PricedEnrollment) -> str:
    return f"{decimal_of(found.price.amount, found.price.currency)} {found.price.currency}"


def make_payer(caller: Caller) -> Payer:
    return Payer(caller.organization_id, caller.id, caller.name)


def enrollment_entry(found: PricedEnrollment) -> dict[str, Any]:
    """Return the enrollment in the form of the audit log."""
    return {
        "enabled": found.enrollment.enabled,
        "charge": found.enrollment.charge_id or None,
        "pricePerMonth": format_price(found),
    }
