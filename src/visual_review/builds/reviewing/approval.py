"""The only way a build becomes approved: writes its row and its baseline, in one transaction.

Also previews an approval, for reviewers to read before confirming.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from visual_review.builds.baselines.sets import Approval, Shot, entries_after
from visual_review.builds.baselines.store import (
    RESTORE,
    VersionDetails,
    create_baseline_version,
    current_entries,
)
from visual_review.builds.models import Baseline, BaselineVersion, Build, Screenshot
from visual_review.builds.notifying.events import publish_decided
from visual_review.builds.pull_requests.tracking import carry_over_if_merged
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.reviewing.evidence import Viewer
from visual_review.builds.reviewing.plan import RejectionCount, rank_rejections
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    UNCHANGED,
    is_rollback,
    review_counts,
)
from visual_review.builds.story_regions import to_rectangles
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError

SHOT_FIELDS = (
    "story_id",
    "theme",
    "device",
    "diff_state",
    "image_id",
    "baseline_image_id",
    "inherited",
    "detection_only",
    "review_decision",
    "title",
    "source_hash",
    "renderer_hash",
    "regions",
)


@dataclass(frozen=True)
class Decider:
    """Who decides. ``source`` is user, api_key, mcp or carried_over.

    Decisions through the API have a ``viewer``: the images of each screenshot fetched by the viewer
    are their evidence.
    """

    source: str
    id: str = ""
    # The name of the approver, also of a carried-over approval.
    name: str = ""
    # The name of the caller's program, empty without one.
    client: str = ""
    # The screenshot with the original approval.
    carried_from: str = ""
    viewer: Viewer | None = None


@dataclass(frozen=True)
class Finalization:
    """The result of an approval: the version, and whether it replaced a newer build's."""

    version: BaselineVersion
    rolled_back: bool


def finalize(
    build: Build, baseline: Baseline, decider: Decider, replaced_number: int | None
) -> Finalization:
    """Approve the locked ``build`` and create a version of its locked ``baseline`` from the build.

    ``replaced_number`` is the number of the build that created the current version, if any. The
    caller has written the screenshots' decisions, and must not save the build afterwards.
    """
    before = current_entries(baseline)
    after = entries_after(before, _approval(build, baseline), _shots(build))
    # The history distinguishes versions by a person from repetitions of an earlier decision.
    kind = CARRIED_OVER if decider.source == CARRIED_OVER else "approval"
    version = create_baseline_version(
        baseline,
        after,
        VersionDetails(
            kind=kind,
            build=build,
            by_id=decider.id,
            by_name=decider.name,
            source=decider.source,
            client=decider.client,
        ),
        before,
    )
    write_review_state(build, APPROVED, decider)
    carry_over_if_merged(build)
    return Finalization(version, is_rollback(build.number, replaced_number))


def write_review_state(build: Build, state: str, decider: Decider) -> None:
    """Write the review state and its decider; an undecided state clears the decider."""
    columns = review_columns(state, decider)
    vars(build).update(columns)
    build.save(update_fields=list(columns))
    if state in {APPROVED, REJECTED}:
        publish_decided(build)


def review_columns(state: str, decider: Decider) -> dict[str, Any]:
    """Return the columns of a build for its review state and the decider."""
    decided = state in {APPROVED, REJECTED}
    return {
        "review_state": state,
        "decided_by_id": decider.id if decided else "",
        "decided_by_name": decider.name if decided else "",
        "decided_client": decider.client if decided else "",
        "decision_source": decider.source if decided else "",
        "decided_at": now() if decided else None,
        "carried_from_id": decider.carried_from if decided else "",
    }


def newest_approved_number(baseline: Baseline) -> int | None:
    """Return the number of the build that set the current baseline; None if none did."""
    return (
        BaselineVersion.objects.filter(baseline=baseline, sequence=baseline.last_version)
        # A restore has no build, so no later approval is a rollback.
        .values_list("build__number", flat=True)
        .first()
    )


def restored_since(build: Build, baseline: Baseline) -> bool:
    """Return whether ``baseline`` was restored since the capture plan of ``build``."""
    since = Q(created_at__gte=build.created_at)
    if build.baseline_id == baseline.id:
        # The plan may be older than the build; the build has the version of the plan.
        since |= Q(sequence__gt=build.baseline_version)
    return BaselineVersion.objects.filter(since, baseline=baseline, kind=RESTORE).exists()


def _approval(build: Build, baseline: Baseline) -> Approval:
    return Approval(
        is_partial=build.is_partial,
        matrix=frozenset((theme, device) for theme, device in build.matrix),
        compared_with_own=build.baseline_id == baseline.id,
        branch_is_new=baseline.last_version == 0,
    )


def _shots(build: Build) -> list[Shot]:
    rows = Screenshot.objects.filter(build=build).values_list(*SHOT_FIELDS)
    return [
        Shot(
            key=VariantKey(story_id, theme, device),
            diff_state=diff_state,
            image=image,
            baseline_image=baseline_image,
            inherited=inherited,
            detection_only=detection_only,
            rejected=decision == REJECTED,
            title=title,
            source_hash=source_hash,
            renderer_hash=renderer_hash,
            regions=to_rectangles(regions),
        )
        for (
            story_id,
            theme,
            device,
            diff_state,
            image,
            baseline_image,
            inherited,
            detection_only,
            decision,
            title,
            source_hash,
            renderer_hash,
            regions,
        ) in rows
    ]


@dataclass(frozen=True)
class ApprovalPreview:
    """The effect of an approval, which would create ``version`` of the baseline of ``branch``.

    ``replaces_build`` is the number of the build that created the current version, if any.
    """

    undecided: int
    changed: int
    new: int
    removed: int
    removals_open: int
    failures: int
    unchanged: int
    rejections: tuple[RejectionCount, ...]
    version: int
    branch: str
    rolls_back: bool
    replaces_build: int | None
    already_approved: bool


class FinalizeNeededError(ConflictError):
    """The request would approve the build, so the reviewer has to confirm."""

    def __init__(self, preview: ApprovalPreview) -> None:
        self.preview = preview
        super().__init__(
            f"This approves the build: its screenshots become version {preview.version} of the "
            f"baseline of '{preview.branch}'. Confirm that."
        )


def preview_approval(build: Build, *, everything: bool = False) -> ApprovalPreview:
    """Return the effect of approving the build now; ``everything`` includes unchanged ones."""
    baseline = own_baseline(build)
    pairs = count_by_state_and_decision(build)
    counts = review_counts(pairs)
    replaced = newest_approved_number(baseline) if baseline else None
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    return ApprovalPreview(
        undecided=sum(pairs[state, ""] for state in DIFFERENCES),
        changed=counts.changed,
        new=counts.new,
        removed=counts.removed,
        removals_open=pairs[REMOVED, ""],
        failures=counts.failed,
        unchanged=counts.unchanged if everything else 0,
        rejections=_rejections(build, states),
        version=(baseline.last_version if baseline else 0) + 1,
        branch=str(baseline) if baseline else f"{build.head_repository}:{build.branch}".lstrip(":"),
        rolls_back=is_rollback(build.number, replaced),
        replaces_build=None if replaced == build.number else replaced,
        already_approved=build.review_state == APPROVED,
    )


def own_baseline(build: Build) -> Baseline | None:
    """Return the baseline of the build's branch, changed by an approval, if there is one."""
    rows = Baseline.objects.filter(
        product_id=build.product_id, head_repository=build.head_repository, branch=build.branch
    )
    return rows.first()


def _rejections(build: Build, states: Collection[str]) -> tuple[RejectionCount, ...]:
    rows = Screenshot.objects.filter(
        build=build, diff_state__in=states, review_decision=REJECTED, detection_only=False
    )
    counted = rows.values_list("decided_by_name").annotate(Count("pk"))
    return rank_rejections(Counter(dict(counted)))
