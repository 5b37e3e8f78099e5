"""What a source host tells or answers, brought into the service's own words and tables."""

from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.models import COMMIT_LENGTH
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import (
    TrackingResult,
    enqueue_refresh,
    note_answer,
    note_event,
)
from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import HostPullRequest
from visual_review.hosts.stored_events import clean
from visual_review.repositories.models import HostAccount, Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

TITLE_LENGTH = 500
# What the columns of numbers hold.
LARGEST_NUMBER = 2**31 - 1


def linked(repository_id: str) -> tuple[Repository, HostAccount] | None:
    """The repository with the account it is reached through; None where there is none."""
    row = (
        Repository.objects.select_related("host_account")
        .filter(pk=repository_id, removed_at=None)
        .first()
    )
    if row is None or row.host_account is None:
        return None
    return row, row.host_account


def take_event(repository: Repository, pull: HostPullRequest) -> str:
    """Follow what a webhook told of a pull request; answers what came of it, in words."""
    noted = note_event(repository, snapshot_of(repository, pull))
    if noted.doubtful:
        enqueue_refresh(repository.id, pull.number)
    return _follow(noted)


def take_snapshot(repository: Repository, pull: HostPullRequest) -> str:
    """Follow what the host answered about a pull request; answers what came of it, in words."""
    return _follow(note_answer(repository, snapshot_of(repository, pull)))


def snapshot_of(repository: Repository, pull: HostPullRequest) -> PullRequestSnapshot:
    """The host's pull request in our words; raises HostAnswerError for what cannot be kept."""
    head = _name(pull.head_repository, NAME_LENGTH)
    if not 0 < pull.number <= LARGEST_NUMBER:
        raise HostResponseError(f"There is no pull request with the number {pull.number}.")
    return PullRequestSnapshot(
        number=pull.number,
        title=clean(pull.title)[:TITLE_LENGTH],
        state=pull.state,
        head_branch=_name(pull.head_branch, BRANCH_LENGTH),
        # As builds have it: only forks carry a name. Hosts compare without regard to case.
        head_repository="" if head.casefold() == repository.full_name.casefold() else head,
        head_commit=_name(pull.head_commit, COMMIT_LENGTH),
        base_branch=_name(pull.base_branch, BRANCH_LENGTH),
        merge_commit=_name(pull.merge_commit, COMMIT_LENGTH),
        updated_at=pull.updated_at,
    )


def _follow(noted: TrackingResult) -> str:
    # Looked for whether the news were new or not: a job that was cut may have stopped in between.
    count = len(apply_base_branch_change(noted.pull_request))
    again = f" Compared again for '{noted.pull_request.base_branch}': {count}."
    heading = f"#{noted.pull_request.number} is {noted.pull_request.state}."
    if not noted.changed and not count:
        return f"{heading} That was known."
    return heading + (again if count else "")


def _name(text: str, most: int) -> str:
    text = clean(text)
    if len(text) > most:
        raise HostResponseError(f"The name '{text[:40]}...' is longer than {most} characters.")
    return text
