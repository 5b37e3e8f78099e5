"""The build in the form needed by its review page."""

from datetime import datetime
from typing import Any

from django.urls import reverse

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.models import Baseline, Build, Screenshot
from visual_review.builds.states import COMPLETED, PENDING
from visual_review.builds.threads.reading import sum_revisions
from visual_review.builds.threads.writing import threads_of_branch
from visual_review.web.deciders import name_decider


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
