"""Facts about a build apart from its screenshots, for its pages and their scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from django.urls import reverse

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.carried_approvals import approvals_of
from visual_review.builds.deciders import CarriedApproval
from visual_review.builds.models import Baseline, Build, Screenshot
from visual_review.builds.notifying.outbox import messages_of
from visual_review.builds.publishing.theme_evidence import theme_evidence_of
from visual_review.builds.queries import pull_request_of
from visual_review.builds.reviewers import people_of, reviewers_of
from visual_review.builds.reviewing.evidence import (
    API_SOURCES,
    count_unseen,
    evidence_of_build,
)
from visual_review.builds.states import CARRIED_OVER, COMPLETED, PENDING
from visual_review.builds.threads.reading import sum_revisions
from visual_review.builds.threads.writing import threads_of_branch
from visual_review.web.deciders import name_decider, origin_url
from visual_review.web.evidence import ShownEvidence

# The path below the repository, by the kind of provider.
_COMMIT: Final = {"github": "commit", "gitlab": "-/commit", "gitea": "commit"}
_BRANCH: Final = {"github": "tree", "gitlab": "-/tree", "gitea": "src/branch"}
_PULL_REQUEST: Final = {"github": "pull", "gitlab": "-/merge_requests", "gitea": "pulls"}


@dataclass(frozen=True)
class GitLinks:
    """URLs at the Git provider; empty where no page exists."""

    branch: str = ""
    base_branch: str = ""
    commit: str = ""
    pull_request: str = ""


def git_links_of(build: Build) -> GitLinks:
    """Return the links of a build."""
    account = build.repository.host_account
    if account is None or account.kind not in _COMMIT:
        return GitLinks()
    base = account.address.rstrip("/")
    own = f"{base}/{quote(build.repository.full_name)}"
    # The branch of a fork, and on some providers its commits, exist in the fork only.
    head = f"{base}/{quote(build.head_repository)}" if build.head_repository else own
    return GitLinks(
        branch=_join(head, _BRANCH, account.kind, build.branch),
        base_branch=_join(own, _BRANCH, account.kind, build.base_branch),
        commit=_join(head, _COMMIT, account.kind, build.commit),
        pull_request=_join(own, _PULL_REQUEST, account.kind, build.pull_request or ""),
    )


def _join(repository: str, paths: Mapping[str, str], kind: str, name: str | int) -> str:
    return f"{repository}/{paths[kind]}/{quote(str(name))}" if name else ""


BASELINE_RULES: Final = {
    "target_branch": "the pull request's base branch",
    "own_branch": "the build's own branch",
    "default_branch": "the default branch, because no closer branch has a baseline",
    "none": "nothing, because no branch to compare with has a baseline yet",
}
# More would hide the facts below.
MAX_APPROVALS: Final = 5


class CarriedFact(NamedTuple):
    """A person's approvals carried over from one build, and the URL of one approval."""

    approval: CarriedApproval
    url: str


def describe_build(build: Build) -> dict[str, Any]:
    """Return the template context of the build, its pull request and its notifications."""
    return {
        "build": build,
        "repository": build.repository,
        "pull_request": pull_request_of(build),
        "theme_evidence": theme_evidence_of(build),
        "rule": BASELINE_RULES[build.baseline_rule],
        "links": git_links_of(build),
        "notifications": messages_of(build),
        "evidence": _evidence_of(build),
        "unseen_count": count_unseen(build),
        "reviewers": reviewers_of(build),
        "people": [each.name for each in people_of(build.repository.organization_id)],
        **_describe_carried(approvals_of(build) if build.decision_source == CARRIED_OVER else ()),
    }


def _evidence_of(build: Build) -> ShownEvidence | None:
    if build.decision_source not in API_SOURCES:
        return None
    return ShownEvidence.of("", evidence_of_build(build))


def _describe_carried(approvals: Sequence[CarriedApproval]) -> dict[str, Any]:
    carried = [
        CarriedFact(approval, origin_url(approval.origin) if approval.origin else "")
        for approval in approvals[:MAX_APPROVALS]
    ]
    return {"carried": carried, "more_carried": len(approvals) - len(carried)}


def encode_build(build: Build) -> dict[str, Any]:
    """Return the build, loaded with its baseline and the newer build."""
    decided = bool(build.decided_at)
    return {
        "id": build.id,
        "number": build.number,
        "status": build.status,
        "failure": show_bidi_controls(build.failure),
        "reviewState": build.review_state,
        "repositoryId": build.repository_id,
        "decidedBy": name_decider(
            build.decided_by_name, build.decision_source, build.decided_client
        )
        if decided
        else "",
        "decidedAt": format_time(build.decided_at),
        "decisionSource": build.decision_source,
        "counts": _encode_counts(build),
        "baseline": _encode_baseline(build),
        "ownBranch": show_bidi_controls(f"{build.head_repository}:{build.branch}".lstrip(":")),
        "isPartial": build.is_partial,
        "supersededBy": _encode_newer(build),
        "url": reverse("build", args=[build.id]),
        "historyUrl": _history_url(build),
        "threadRevision": sum_revisions(threads_of_branch(build)),
        "decidable": build.status == COMPLETED,
    }


def format_time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds")


def _encode_counts(build: Build) -> dict[str, int]:
    counts = {
        "changed": build.changed_count,
        "new": build.new_count,
        "removed": build.removed_count,
        "failed": build.failed_count,
        "unchanged": build.unchanged_count,
        "inherited": build.inherited_count,
        "pending": 0,
    }
    if build.status != COMPLETED:
        waiting = Screenshot.objects.filter(build=build, detection_only=False, diff_state=PENDING)
        counts["pending"] = waiting.count()
    return counts


def _encode_baseline(build: Build) -> dict[str, Any] | None:
    if build.baseline is None:
        return None
    url = reverse("baseline", args=[build.baseline_id])
    return {
        "branch": show_bidi_controls(str(build.baseline)),
        "version": build.baseline_version,
        "url": url,
    }


def _encode_newer(build: Build) -> dict[str, Any] | None:
    newer = build.superseded_by
    if newer is None:
        return None
    return {"number": newer.number, "url": reverse("build", args=[newer.id])}


def _history_url(build: Build) -> str | None:
    """Return the page for restoring versions of the branch's own baseline, if any."""
    try:
        own = build.own_baseline
    except Baseline.DoesNotExist:
        return None
    return reverse("baseline", args=[own.pk]) if own.last_version else None
