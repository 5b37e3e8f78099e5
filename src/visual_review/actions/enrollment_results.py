"""Enrollments as JSON, for results and for the audit log."""

from typing import Any, Self

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.billing.periods import Payer
from visual_review.billing.prices import decimal_of
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.enrollment import PricedEnrollment


class EnrollmentResult(ActionResult):
    """``pricePerMonth`` is an amount with its currency, such as ``9.00 EUR``."""

    repo_id: str
    enabled: bool
    enabled_at: str | None
    disabled_at: str | None
    price_per_month: str

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
    """Return the enrollment as the audit log stores it."""
    return {
        "enabled": found.enrollment.enabled,
        "charge": found.enrollment.charge_id or None,
        "pricePerMonth": format_price(found),
    }
