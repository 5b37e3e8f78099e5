"""What the source host says of a connected repository: its name there, or that it is gone."""

from django.db import IntegrityError, transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.models import Repository
from visual_review.repositories.names import check_full_name

RENAMED = "repository.renamed"
GONE = (
    "The source host does not know this repository any more, or does not show it to the connected "
    "account. Nothing was deleted here, and nothing is told to the host. If it was removed there "
    "for good, remove it here too; otherwise give the account access to it again."
)


def record_found(repository_id: str, host_id: str, full_name: str) -> str:
    """Take the name that the repository has at the host; answers what came of it, in words."""
    try:
        check_full_name(full_name)
        return _take_name(repository_id, host_id, full_name)
    except InvalidInputError as error:
        return _record_problem(repository_id, f"The name of this repository at the host: {error}")
    except IntegrityError:
        return _record_problem(
            repository_id,
            f"The source host calls this repository '{full_name}' now, but another repository is "
            "connected under that name here. Nothing is told to the host until one of the two "
            "is removed.",
        )


def record_missing(repository_id: str) -> str:
    """Note that the host does not have the repository; nothing is deleted here."""
    return _record_problem(repository_id, GONE)


@transaction.atomic
def _take_name(repository_id: str, host_id: str, full_name: str) -> str:
    row = _locked(repository_id)
    if row is None:
        return "The repository was removed here."
    before = row.full_name
    row.full_name, row.host_id = full_name, row.host_id or host_id
    row.host_problem, row.host_checked_at = "", now()
    row.save(update_fields=["full_name", "host_id", "host_problem", "host_checked_at"])
    if before == full_name:
        return f"The repository is called '{full_name}' as before."
    change = Change(
        RENAMED, repository_target(row), before={"fullName": before}, after={"fullName": full_name}
    )
    record(row.organization_id, SYSTEM, change)
    return f"The repository '{before}' is called '{full_name}' now."


@transaction.atomic
def _record_problem(repository_id: str, words: str) -> str:
    row = _locked(repository_id)
    if row is None:
        return "The repository was removed here."
    row.host_problem, row.host_checked_at = words, now()
    row.save(update_fields=["host_problem", "host_checked_at"])
    return words


def _locked(repository_id: str) -> Repository | None:
    rows = Repository.objects.select_for_update(no_key=True).filter(removed_at=None)
    return rows.filter(pk=repository_id).first()
