"""Applies reports of a Git provider about pull requests to the service's own tables."""

from django.db import transaction

from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.models import COMMIT_LENGTH, PullRequest
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import (
    TrackingResult,
    enqueue_refresh,
    newest_builds_of,
    record_event,
    record_refresh,
)
from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import HostPullRequest, strip_invalid_characters
from visual_review.repositories.models import HostAccount, Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH, is_same_name

TITLE_LENGTH = 500
DESCRIPTION_LENGTH = 4000
ELLIPSIS = "…"
# The limit of the number columns.
LARGEST_NUMBER = 2**31 - 1


def find_linked_repository(repository_id: str) -> tuple[Repository, HostAccount] | None:
    """Return the repository with its account; None when no account is connected."""
    row = (
        Repository.objects.select_related("host_account")
        .filter(pk=repository_id, removed_at=None)
        .first()
    )
    if row is None or row.host_account is None:
        return None
    return row, row.host_account


def apply_event(repository: Repository, pull: HostPullRequest) -> str:
    """Apply a webhook's report about a pull request; return a text about the outcome."""
    result = record_event(repository, to_snapshot(repository, pull))
    if result.order_uncertain:
        enqueue_refresh(repository.id, pull.number)
    return _apply_result(result)


def apply_snapshot(repository: Repository, pull: HostPullRequest) -> str:
    """Apply the provider's response about a pull request; return a text about the outcome."""
    return _apply_result(record_refresh(repository, to_snapshot(repository, pull)))


def to_snapshot(repository: Repository, pull: HostPullRequest) -> PullRequestSnapshot:
    """Convert the provider's pull request; raises HostResponseError if a value cannot be stored."""
    head = _validate_name(pull.head_repository, NAME_LENGTH)
    if not 0 < pull.number <= LARGEST_NUMBER:
        raise HostResponseError(f"There is no pull request with the number {pull.number}.")
    return PullRequestSnapshot(
        number=pull.number,
        title=strip_invalid_characters(pull.title)[:TITLE_LENGTH],
        description=_shorten(strip_invalid_characters(pull.description)),
        state=pull.state,
        head_branch=_validate_name(pull.head_branch, BRANCH_LENGTH),
        # As in builds: only forks have a name here. Providers ignore case in names.
        head_repository="" if is_same_name(head, repository.full_name) else head,
        head_commit=_validate_name(pull.head_commit, COMMIT_LENGTH),
        base_branch=_validate_name(pull.base_branch, BRANCH_LENGTH),
        merge_commit=_validate_name(pull.merge_commit, COMMIT_LENGTH),
        updated_at=pull.updated_at,
    )


def _apply_result(result: TrackingResult) -> str:
    if result.changed:
        _notify_commits(result.pull_request)
    # Also without a change: an interrupted job may have stopped before this step.
    count = len(apply_base_branch_change(result.pull_request))
    compared = f" Builds compared again with '{result.pull_request.base_branch}': {count}."
    heading = f"#{result.pull_request.number} is {result.pull_request.state}."
    if not result.changed and not count:
        return f"{heading} Nothing changed."
    return heading + (compared if count else "")


@transaction.atomic
def _notify_commits(pull_request: PullRequest) -> None:
    """Compute the statuses of its commits again: another pull request may have the same head."""
    rows = newest_builds_of(pull_request).select_related("repository", "product")
    notify_hosts(*rows)


def _shorten(text: str) -> str:
    if len(text) <= DESCRIPTION_LENGTH:
        return text
    return text[: DESCRIPTION_LENGTH - len(ELLIPSIS)] + ELLIPSIS


def _validate_name(text: str, most: int) -> str:
    text = strip_invalid_characters(text)
    if len(text) > most:
        raise HostResponseError(f"The name '{text[:40]}...' is longer than {most} characters.")
    return text
