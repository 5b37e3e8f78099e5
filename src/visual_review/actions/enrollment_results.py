"""Enrollments as JSON, for results and for the audit log."""

from typing import Any, Self

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionResult, Timestamp
from visual_review.billing.periods import Payer
from visual_review.billing.prices import decimal_of
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.enrollment import PricedEnrollment


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
