"""How long an organization and its repositories keep what."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from visual_review.repositories.models import Repository, Retention

# In input: kept for good.
FOR_GOOD: Final = 0
LONGEST_DAYS: Final = 3650


@dataclass(frozen=True)
class Limits:
    """When what a repository holds must have been made to stay; None: it stays for good."""

    builds_before: datetime | None
    recordings_before: datetime | None


def retention_of(organization_id: str, *, lock: bool = False) -> Retention:
    """The organization's settings; those of a new one where nobody set any."""
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
    days = days_kept(own, organization)
    return None if days is None else moment - timedelta(days=days)


def days_kept(own: int | None, organization: int | None) -> int | None:
    """Days for a repository, by its own setting and its organization's; None: for good."""
    if own is None:
        return organization
    return None if own == FOR_GOOD else own


def told(retention: Retention) -> dict[str, Any]:
    """The settings as the audit log keeps them; null: for good."""
    return {
        "buildsDays": retention.builds_days,
        "imagesDays": retention.images_days,
        "recordingsDays": retention.recordings_days,
    }


def repository_retention_entry(repository: Repository) -> dict[str, Any]:
    """The repository's own settings; null: the organization's, 0: for good."""
    return {
        "keepBuildsDays": repository.keep_builds_days,
        "keepRecordingsDays": repository.keep_recordings_days,
    }
