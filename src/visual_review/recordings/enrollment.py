"""Whether recordings are enabled for a repository, and the charge for recordings."""

from copy import copy
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from visual_review.billing.models import ChargePeriod
from visual_review.billing.periods import Payer, Subject, end_charge, running_charge, start_charge
from visual_review.billing.prices import Price
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError
from visual_review.recordings.models import Enrollment
from visual_review.repositories.models import Repository

PRODUCT: Final = "recordings"
DISABLED: Final = (
    "Recordings are disabled for this repository; CI uploads are rejected until an admin "
    "enables them."
)


@dataclass(frozen=True)
class PricedEnrollment:
    """An enrollment with its monthly price: the charged one, or the price if enabled.

    ``former`` is the enrollment before a change; None without a change.
    """

    enrollment: Enrollment
    price: Price
    former: "PricedEnrollment | None" = None

    @property
    def changed(self) -> bool:
        return self.former is not None


def enrollment_of(repository: Repository) -> PricedEnrollment:
    charge = running_charge(_subject(repository))
    return PricedEnrollment(_stored_enrollment(repository), _price(charge))


def _stored_enrollment(repository: Repository) -> Enrollment:
    """Return the row, or a new row, not stored yet."""
    row = Enrollment.objects.filter(repository=repository).first()
    return row or Enrollment(repository=repository)


def enable(repository: Repository, payer: Payer) -> PricedEnrollment:
    """Enable recordings of the locked ``repository`` and charge from now, unless enabled."""
    row = _stored_enrollment(repository)
    charge = start_charge(_subject(repository), settings.RECORDINGS_PRICE, payer)
    if row.enabled:
        return PricedEnrollment(row, _price(charge))
    former = PricedEnrollment(copy(row), _price(None))
    row.enabled, row.enabled_at, row.disabled_at = True, charge.started_at, None
    row.enabled_by_name, row.charge_id = payer.actor_name[:300], charge.id
    # Otherwise Django first tries to update a row without a default for its key.
    row.save(force_insert=row._state.adding)  # noqa: SLF001 - Django documents ``_state``.
    return PricedEnrollment(row, _price(charge), former)


def disable(repository: Repository, payer: Payer) -> PricedEnrollment:
    """Disable recordings of the locked ``repository`` and end the charge; recordings stay."""
    row = _stored_enrollment(repository)
    ended = end_charge(_subject(repository), payer)
    if not row.enabled:
        return PricedEnrollment(row, _price(None))
    former = PricedEnrollment(copy(row), _price(ended))
    row.enabled, row.charge_id = False, ""
    row.disabled_at = ended.ended_at if ended else now()
    row.save()
    return PricedEnrollment(row, _price(None), former)


def require_enabled(repository: Repository) -> None:
    """Raise ConflictError, with the documented message, while the add-on is disabled."""
    if not Enrollment.objects.filter(repository=repository, enabled=True).exists():
        raise ConflictError(DISABLED)


def _subject(repository: Repository) -> Subject:
    return Subject(PRODUCT, repository.id, repository.full_name)


def _price(charge: ChargePeriod | None) -> Price:
    if charge is None:
        price: Price = settings.RECORDINGS_PRICE
        return price
    return Price(charge.price, charge.currency)
