"""Load where decisions were made, for repositories whose approvals stay in their pull request."""

from collections.abc import Collection

from visual_review.builds.models import Build, PullRequest
from visual_review.builds.pull_requests.ordering import MERGED, OPEN
from visual_review.builds.reviewing.approval_scope import ApprovalScope, Merge, ReviewPlace
from visual_review.builds.source import BranchKey


class DecisionPlaces:
    """The places of the decisions that were made in some builds, and which of them count."""

    def __init__(self, build: Build, build_ids: Collection[str]) -> None:
        base = build.baseline
        if base is None:
            raise ValueError("A build without a baseline has no earlier decisions.")
        self._scope = ApprovalScope(
            _place_of(build.branch, build.head_repository, build.pull_request),
            BranchKey(base.branch, base.head_repository),
        )
        rows = Build.objects.filter(pk__in=build_ids)
        self._places = {
            pk: _place_of(branch, head, pull_request)
            for pk, branch, head, pull_request in rows.values_list(
                "pk", "branch", "head_repository", "pull_request"
            )
        }
        numbers = {
            place.pull_request for place in self._places.values() if place.pull_request is not None
        }
        pulls = PullRequest.objects.filter(repository_id=build.repository_id, number__in=numbers)
        self._merges = {pull.number: self._merge_of(pull) for pull in pulls}

    def find(self, build_id: str) -> ReviewPlace | None:
        """Return where decisions of the build were made; None if it was deleted meanwhile."""
        return self._places.get(build_id)

    def counts(self, place: ReviewPlace) -> bool:
        """Return whether an approval that was made there applies to the build."""
        number = place.pull_request
        merge = Merge.UNKNOWN if number is None else self._merges.get(number, Merge.UNKNOWN)
        return self._scope.counts(place, merge)

    def _merge_of(self, pull: PullRequest) -> Merge:
        if pull.state == MERGED:
            # Into the build's own branch, if that is the base of a stack of pull requests.
            into = BranchKey(pull.base_branch)
            merged = into in {self._scope.base, self._scope.place.branch}
            return Merge.MERGED if merged else Merge.NOT_MERGED
        reported = pull.host_updated_at is not None or pull.asked_at is not None
        return Merge.NOT_MERGED if reported or pull.state != OPEN else Merge.UNKNOWN


def _place_of(branch: str, head_repository: str, pull_request: int | None) -> ReviewPlace:
    return ReviewPlace(BranchKey(branch, head_repository), pull_request)
