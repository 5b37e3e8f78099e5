"""Entries of a story's history as results."""

from typing import Self

from pydantic import Field

from visual_review.actions.extended.decision_records import ShotDecisionResult
from visual_review.actions.schema import ActionResult, Timestamp
from visual_review.builds.flakiness import Flakiness
from visual_review.builds.models import Screenshot
from visual_review.builds.states import DiffState
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import rfc3339
from visual_review.variants import Device, Theme


class VariantFlakinessResult(ActionResult):
    """How a variant of the story behaved in its last captures, on all branches."""

    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    captures: int = Field(description="How many captures were looked at.", examples=[10])
    unstable: int = Field(description="How many were still changing.", examples=[0])
    varied: int = Field(
        description="How many differ from the one before without a change of the sources.",
        examples=[1],
    )

    @classmethod
    def of(cls, key: VariantKey, found: Flakiness) -> Self:
        return cls.model_validate(
            {
                "theme": key.theme,
                "device": key.device,
                "captures": found.captures,
                "unstable": found.unstable,
                "varied": found.varied,
            }
        )


class HistoryEntry(ActionResult):
    """One screenshot of the story in one build."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    build_number: int = Field(description="The build's number.", examples=[128])
    branch: str = Field(description="The build's branch.", examples=["feature/cards"])
    pull_request: int | None = Field(
        description="The build's pull request; null without one.", examples=[41]
    )
    at: Timestamp = Field(
        description="When the build was created.", examples=["2026-03-14T09:26:53.000Z"]
    )
    number: int | None = Field(
        description="The screenshot's number in that build; null for an unchanged one.",
        examples=[12],
    )
    screenshot_id: str = Field(
        description="The screenshot's id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"]
    )
    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    diff_state: DiffState = Field(description="How the screenshot differed.", examples=["changed"])
    summary: str | None = Field(
        description="The change in words, or the reason of the failure; null if unknown.",
        examples=["only colors: #1f6feb to #d1242f"],
    )
    unstable: str | None = Field(
        description="Why the page was still changing at the capture; null for a page at rest.",
        examples=[None],
    )
    decision: ShotDecisionResult | None = Field(
        description="The decision that stands; null while undecided."
    )

    @classmethod
    def of(cls, row: Screenshot) -> Self:
        build, comparison = row.build, row.comparison
        decision = (
            ShotDecisionResult.of(row, vars(row)["evidence"]) if row.review_decision else None
        )
        return cls.model_validate(
            {
                "build_id": build.pk,
                "build_number": build.number,
                "branch": build.branch,
                "pull_request": build.pull_request,
                "at": rfc3339(build.created_at),
                "number": row.number,
                "screenshot_id": row.pk,
                "theme": row.theme,
                "device": row.device,
                "diff_state": row.diff_state,
                "summary": row.message or (comparison.summary if comparison else "") or None,
                "unstable": row.unstable or None,
                "decision": decision,
            }
        )
