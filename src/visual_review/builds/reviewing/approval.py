"""The only way a build becomes approved: writes its row and its baseline, in one transaction."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from visual_review.builds.baselines.sets import Approval, Shot, entries_after
from visual_review.builds.baselines.store import (
    RESTORE,
    VersionDetails,
    create_baseline_version,
    current_entries,
)
from visual_review.builds.models import Baseline, BaselineMove, Build, Screenshot
from visual_review.builds.pull_requests.merging import carry_over_if_merged
from visual_review.builds.reviewing.image_views import Viewer
from visual_review.builds.states import APPROVED, CARRIED_OVER, REJECTED, is_rollback
from visual_review.builds.story_regions import to_rectangles
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

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
    "regions",
)


@dataclass(frozen=True)
class Decider:
    """Who decides. ``source`` is user, api_key, mcp or carried_over.

    ``client`` is the name of the program that the caller used, empty without one. ``carried_from``
    is the screenshot whose approval was carried over, and ``name`` names who approved. Decisions
    through the API have a ``viewer``: what it had fetched of each screenshot is their evidence.
    """

    source: str
    id: str = ""
    name: str = ""
    client: str = ""
    carried_from: str = ""
    viewer: Viewer | None = None


@dataclass(frozen=True)
class Finalization:
    """The result of an approval: the version, and whether it replaced a newer build's."""

    version: BaselineMove
    rolled_back: bool


def finalize(
    build: Build, baseline: Baseline, decider: Decider, replaced_number: int | None
) -> Finalization:
    """Approve the locked ``build`` and create a version of its locked ``baseline`` from it.

    ``replaced_number`` is that of the build that created the current version, if one did. The
    caller has written the screenshots' decisions, and must not save the build afterwards.
    """
    before = current_entries(baseline)
    after = entries_after(before, _approval(build, baseline), _shots(build))
    # The history distinguishes versions by a person from those that repeat an earlier decision.
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


def review_columns(state: str, decider: Decider) -> dict[str, Any]:
    """Return the columns of a build that say how it was decided, and by whom."""
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
        BaselineMove.objects.filter(baseline=baseline, sequence=baseline.last_move)
        # A restore has no build, so no approval after it is a rollback.
        .values_list("build__number", flat=True)
        .first()
    )


def restored_since(build: Build, baseline: Baseline) -> bool:
    """Return whether ``baseline`` was restored since the capture plan of ``build``."""
    since = Q(moved_at__gte=build.created_at)
    if build.baseline_id == baseline.id:
        # The plan may be older than the build; the build has the version of the plan.
        since |= Q(sequence__gt=build.baseline_move)
    return BaselineMove.objects.filter(since, baseline=baseline, kind=RESTORE).exists()


def _approval(build: Build, baseline: Baseline) -> Approval:
    return Approval(
        is_partial=build.is_partial,
        matrix=frozenset((theme, device) for theme, device in build.matrix),
        compared_with_own=build.baseline_id == baseline.id,
        branch_is_new=baseline.last_move == 0,
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
            regions,
        ) in rows
    ]
