"""Whether recordings are enabled for a repository, and the charge for them."""

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
    """An enrollment with its monthly price: as charged, or as it would be if enabled."""

    enrollment: Enrollment
    price: Price
    changed: bool = False


def enrollment_of(repository: Repository) -> PricedEnrollment:
    row = Enrollment.objects.filter(repository=repository).first()
    charge = running_charge(_subject(repository))
    return PricedEnrollment(row or Enrollment(repository=repository), _price(charge))


def enable(repository: Repository, payer: Payer) -> PricedEnrollment:
    """Enable recordings of the locked ``repository``, charged from now, if they are not yet."""
    row, _ = Enrollment.objects.get_or_create(repository=repository)
    charge = start_charge(_subject(repository), settings.RECORDINGS_PRICE, payer)
    if row.enabled:
        return PricedEnrollment(row, _price(charge))
    row.enabled, row.enabled_at, row.disabled_at = True, charge.started_at, None
    row.enabled_by_name, row.charge_id = payer.actor_name[:300], charge.id
    row.save()
    return PricedEnrollment(row, _price(charge), changed=True)


def disable(repository: Repository, payer: Payer) -> PricedEnrollment:
    """Disable recordings of the locked ``repository`` and end the charge; recordings stay."""
    row = Enrollment.objects.filter(repository=repository).first()
    ended = end_charge(_subject(repository), payer)
    if row is None or not row.enabled:
        return PricedEnrollment(row or Enrollment(repository=repository), _price(None))
    row.enabled, row.charge_id = False, ""
    row.disabled_at = ended.ended_at if ended else now()
    row.save()
    return PricedEnrollment(row, _price(None), changed=True)


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
