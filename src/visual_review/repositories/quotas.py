"""Quotas of an organization, and its use of storage, builds and megapixels of a day in UTC.

The operator sets quotas for all organizations, or for one. The counts are in one row of the
organization: an upload must not look at all of its images.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final, Literal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, TooManyAttemptsError
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import OrganizationQuota, StorageUse

MEASURE_STORAGE: Final = "measure_storage"
GROWTH_DAYS: Final = 30
# The list of repositories has all repositories, in the same order.
MOST_SHOWN: Final = 100
GIGABYTE: Final = 1024**3
MEGAPIXEL: Final = 1_000_000
DailyCount = Literal["builds", "megapixels"]


@dataclass(frozen=True)
class MeasuredUse:
    """A measurement, and its growth in bytes within ``days`` before."""

    use: StorageUse
    growth: int
    days: int


def enqueue_measuring(organization_id: str) -> None:
    """Queue the measuring of storage use, unless a job is already waiting."""
    lock = f"measure:{organization_id}"
    enqueue(MEASURE_STORAGE, lock=lock, once=lock, organization_id=organization_id)


@transaction.atomic
def add_uses(organization_id: str, uses: Iterable[StorageUse]) -> None:
    """Store a new measurement: one a day is kept, for the time over which growth is shown."""
    moment = now()
    rows = StorageUse.objects.filter(organization_id=organization_id)
    is_old = Q(measured_at__lt=moment - timedelta(days=GROWTH_DAYS))
    rows.filter(is_old | Q(measured_at__date=moment.date())).delete()
    StorageUse.objects.bulk_create(uses)


def total_of(organization_id: str) -> MeasuredUse | None:
    """Return the organization's storage use, or None before the first measurement."""
    rows = StorageUse.objects.filter(organization_id=organization_id, repository=None)
    return next(iter(_measured(rows)), None)


def uses_of(organization_id: str) -> list[MeasuredUse]:
    """Return the storage use of the largest repositories, largest first."""
    rows = StorageUse.objects.filter(
        organization_id=organization_id,
        repository__isnull=False,
        repository__removed_at=None,
    ).select_related("repository")
    found = sorted(_measured(rows), key=lambda each: each.use.total_bytes, reverse=True)
    return found[:MOST_SHOWN]


def _measured(rows: QuerySet[StorageUse]) -> Iterator[MeasuredUse]:
    """Yield the newest measurement of each repository, with the growth since the oldest one."""
    of_each = rows.order_by("repository", "measured_at").distinct("repository")
    oldest = {row.repository_id: row for row in of_each}
    for newest in rows.order_by("repository", "-measured_at").distinct("repository"):
        first = oldest[newest.repository_id]
        days = (newest.measured_at - first.measured_at).days
        yield MeasuredUse(newest, newest.total_bytes - first.total_bytes, days)


@dataclass(frozen=True)
class Limits:
    """Of one organization; 0 is no limit."""

    stored_gigabytes: int
    builds: int
    megapixels: int


@dataclass(frozen=True)
class Quota:
    """A limit, and the used part: bytes of storage, or builds or megapixels today."""

    name: Literal["storage", "builds", "megapixels"]
    used: int
    limit: int


def quotas_of(organization_id: str) -> list[Quota]:
    """Return the quotas with a limit."""
    return list(_quotas_of(_find_row(organization_id)))


def _quotas_of(row: OrganizationQuota) -> Iterator[Quota]:
    limits = limits_of(row)
    if limits.stored_gigabytes:
        yield Quota("storage", row.stored_bytes or 0, limits.stored_gigabytes * GIGABYTE)
    is_today = row.day == now().date()
    if limits.builds:
        yield Quota("builds", row.builds if is_today else 0, limits.builds)
    if limits.megapixels:
        used = -(-row.pixels // MEGAPIXEL) if is_today else 0
        yield Quota("megapixels", used, limits.megapixels)


def limits_of(row: OrganizationQuota) -> Limits:
    """Return the organization's own limits, with the service's in place of unset limits."""
    own = (row.stored_gigabytes_limit, row.builds_limit, row.megapixels_limit)
    pairs = zip(own, settings.QUOTAS, strict=True)
    return Limits(*(default if limit is None else limit for limit, default in pairs))


def require_storage(organization_id: str, size: int = 1) -> None:
    """Raise StorageFullError if the organization may not store ``size`` more bytes.

    Simultaneous uploads may exceed the limit together, although each upload alone does not.
    """
    row = _find_row(organization_id)
    limit = limits_of(row).stored_gigabytes * GIGABYTE
    if not limit:
        return
    if row.stored_bytes is None:
        # With a new limit, nothing is counted yet: the limit applies as soon as a job has measured.
        enqueue_measuring(organization_id)
        return
    if row.stored_bytes + size > limit:
        raise StorageFullError(
            f"Your organization stores {row.stored_bytes / GIGABYTE:.2f} of at most "
            f"{limit / GIGABYTE:.0f} GB. Nothing was stored. Shorten the retention, or remove "
            f"repositories, then choose 'Measure now' at {_page()}."
        )


def lock_stored(organization_id: str) -> OrganizationQuota | None:
    """Lock the count of stored bytes; None if nothing is counted. For a transaction."""
    rows = OrganizationQuota.objects.select_for_update()
    return rows.filter(pk=organization_id, stored_bytes__isnull=False).first()


def add_stored(row: OrganizationQuota, size: int) -> None:
    OrganizationQuota.objects.filter(pk=row.pk).update(stored_bytes=F("stored_bytes") + size)


def store_measured(organization_id: str, size: int) -> None:
    """Replace the count by the measured size, if storage is limited."""
    measured = size if limits_of(_find_row(organization_id)).stored_gigabytes else None
    rows = OrganizationQuota.objects.filter(pk=organization_id)
    if not rows.update(stored_bytes=measured) and measured is not None:
        OrganizationQuota.objects.update_or_create(
            pk=organization_id, defaults={"stored_bytes": measured}
        )


def count_build(organization_id: str) -> None:
    """Count a build of today; raises TooManyAttemptsError beyond the quota. For a transaction."""
    _count(organization_id, "builds", 1, 1)


def count_pixels(organization_id: str, pixels: int) -> None:
    """Count pixels to verify today; raises TooManyAttemptsError. For a transaction."""
    _count(organization_id, "megapixels", pixels, MEGAPIXEL)


def _count(organization_id: str, name: DailyCount, number: int, unit: int) -> None:
    if not getattr(limits_of(_find_row(organization_id)), name):
        return
    row = lock_quota(organization_id)
    limit = getattr(limits_of(row), name)
    if row.day != now().date():
        row.day, row.builds, row.pixels = now().date(), 0, 0
    field = "builds" if name == "builds" else "pixels"
    used = getattr(row, field)
    if used + number > limit * unit:
        raise _too_many(name, used // unit, -(-number // unit), limit)
    setattr(row, field, used + number)
    row.save(update_fields=["day", "builds", "pixels"])


def _too_many(name: DailyCount, used: int, number: int, limit: int) -> TooManyAttemptsError:
    midnight = datetime.combine(now().date() + timedelta(days=1), time.min, now().tzinfo)
    return TooManyAttemptsError(
        max(1, round((midnight - now()).total_seconds())),
        f"Your organization may publish {limit:,} {name} a day. It has used {used:,} today, and "
        f"this request has {number:,}. The count starts again at 00:00 UTC; see {_page()}.",
    )


def lock_quota(organization_id: str) -> OrganizationQuota:
    """Return the row, created if missing. For a transaction."""
    OrganizationQuota.objects.get_or_create(pk=organization_id)
    return OrganizationQuota.objects.select_for_update().get(pk=organization_id)


@transaction.atomic
def set_limits(organization_id: str, changed: dict[str, int | None]) -> tuple[Limits, Limits]:
    """Change limits of the organization by field, None for the service's; return before and after."""
    row = lock_quota(organization_id)
    before = limits_of(row)
    for name, limit in changed.items():
        setattr(row, name, limit)
    row.save(update_fields=list(changed))
    return before, limits_of(row)


def _find_row(organization_id: str) -> OrganizationQuota:
    row = OrganizationQuota.objects.filter(pk=organization_id).first()
    return row or OrganizationQuota(pk=organization_id)


def _page() -> str:
    return f"{settings.PUBLIC_URL}/storage"
