"""How long an organization and its repositories keep builds, images and recordings."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from visual_review.repositories.models import Repository, Retention

# As an input: never deleted.
FOREVER: Final = 0
MAX_DAYS: Final = 3650


@dataclass(frozen=True)
class Limits:
    """Builds and recordings older than these times are deleted; None: never."""

    builds_before: datetime | None
    recordings_before: datetime | None


def retention_of(organization_id: str, *, lock: bool = False) -> Retention:
    """Return the organization's settings; the defaults if none are stored."""
    if not lock:
        found = Retention.objects.filter(organization_id=organization_id).first()
        return found or Retention(organization_id=organization_id)
    Retention.objects.get_or_create(organization_id=organization_id)
    return Retention.objects.select_for_update().get(organization_id=organization_id)


def limits_of(repository: Repository, retention: Retention, moment: datetime) -> Limits:
    return Limits(
        _before(repository.keep_builds_days, retention.builds_days, moment),
        _before(repository.keep_recordings_days, retention.recordings_days, moment),
    )


def _before(own: int | None, organization: int | None, moment: datetime) -> datetime | None:
    days = effective_days(own, organization)
    return None if days is None else moment - timedelta(days=days)


def effective_days(own: int | None, organization: int | None) -> int | None:
    """Return a repository's days, from its own and the organization's setting; None: never."""
    if own is None:
        return organization
    return None if own == FOREVER else own


def organization_retention_entry(retention: Retention) -> dict[str, Any]:
    """Return the settings as stored in the audit log; null: never deleted."""
    return {
        "buildsDays": retention.builds_days,
        "imagesDays": retention.images_days,
        "recordingsDays": retention.recordings_days,
    }


def repository_retention_entry(repository: Repository) -> dict[str, Any]:
    """Return the repository's own settings; null: the organization's, 0: never deleted."""
    return {
        "keepBuildsDays": repository.keep_builds_days,
        "keepRecordingsDays": repository.keep_recordings_days,
    }
