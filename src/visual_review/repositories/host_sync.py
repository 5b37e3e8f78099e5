"""Stores the Git provider's report about a repository: its name, or that it is missing."""

from django.db import IntegrityError, transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.models import Repository
from visual_review.repositories.names import check_full_name
from visual_review.repositories.queries import repository_target

RENAMED = "repository.renamed"
GONE = (
    "This repository no longer exists at the Git provider, or the connected account cannot access "
    "it. Nothing was deleted here, and nothing is sent to the provider. If the repository was "
    "deleted there, remove it here too; otherwise give the account access to it again."
)


def record_found(repository_id: str, host_id: str, full_name: str) -> str:
    """Store the repository's name at the host; returns a sentence about the outcome."""
    try:
        check_full_name(full_name)
        return _store_name(repository_id, host_id, full_name)
    except InvalidInputError as error:
        return _record_problem(
            repository_id, f"The repository's name at the Git provider is not supported: {error}"
        )
    except IntegrityError:
        return _record_problem(
            repository_id,
            f"This repository is now named '{full_name}' at the Git provider, but another "
            "repository with that name is connected. Nothing is sent to the provider until one of "
            "the two is removed.",
        )


def record_missing(repository_id: str) -> str:
    """Record that the host does not have the repository; nothing is deleted."""
    return _record_problem(repository_id, GONE)


@transaction.atomic
def _store_name(repository_id: str, host_id: str, full_name: str) -> str:
    row = _locked(repository_id)
    if row is None:
        return "The repository was removed here."
    before = row.full_name
    row.full_name, row.host_id = full_name, row.host_id or host_id
    row.host_problem, row.host_checked_at = "", now()
    row.save(update_fields=["full_name", "host_id", "host_problem", "host_checked_at"])
    if before == full_name:
        return f"The repository is still named '{full_name}'."
    change = Change(
        RENAMED, repository_target(row), before={"fullName": before}, after={"fullName": full_name}
    )
    record(row.organization_id, SYSTEM, change)
    return f"The repository '{before}' is now named '{full_name}'."


@transaction.atomic
def _record_problem(repository_id: str, problem: str) -> str:
    row = _locked(repository_id)
    if row is None:
        return "The repository was removed here."
    row.host_problem, row.host_checked_at = problem, now()
    row.save(update_fields=["host_problem", "host_checked_at"])
    return problem


def _locked(repository_id: str) -> Repository | None:
    rows = Repository.objects.select_for_update(no_key=True).filter(removed_at=None)
    return rows.filter(pk=repository_id).first()
