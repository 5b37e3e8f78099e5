"""What approving a build would do, for reviewers to read before they confirm it."""

from dataclasses import dataclass

from visual_review.builds.models import Baseline, Build
from visual_review.builds.reviewing.build_facts import RejectionCount, read_facts
from visual_review.builds.states import APPROVED, DIFFERENCES, UNCHANGED, is_rollback
from visual_review.kernel.errors import ConflictError


@dataclass(frozen=True)
class ApprovalPreview:
    """``version`` is that of the baseline of ``branch`` that the approval would create.

    ``replaces_build`` is the number of the build that the current version came from, if any.
    """

    undecided: int
    changed: int
    new: int
    removed: int
    failures: int
    unchanged: int
    rejections: tuple[RejectionCount, ...]
    version: int
    branch: str
    rolls_back: bool
    replaces_build: int | None
    already_approved: bool


class FinalizeNeededError(ConflictError):
    """The request would approve the build, which the reviewer has to confirm."""

    def __init__(self, preview: ApprovalPreview) -> None:
        self.preview = preview
        super().__init__(
            f"This approves the build: its screenshots become version {preview.version} of the "
            f"baseline of '{preview.branch}'. Confirm that."
        )


def preview_approval(build: Build, *, everything: bool = False) -> ApprovalPreview:
    """Return what approving the build would do now; ``everything`` includes unchanged ones."""
    baseline = own_baseline(build)
    facts = read_facts(build, baseline)
    counts, replaced = facts.counts, facts.replaced_number
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    return ApprovalPreview(
        undecided=facts.undecided_differences,
        changed=counts.changed,
        new=counts.new,
        removed=counts.removed,
        failures=counts.failed,
        unchanged=counts.unchanged if everything else 0,
        rejections=facts.rejections(states),
        version=(baseline.last_move if baseline else 0) + 1,
        branch=str(baseline) if baseline else f"{build.head_repository}:{build.branch}".lstrip(":"),
        rolls_back=is_rollback(build.number, replaced),
        replaces_build=None if replaced == build.number else replaced,
        already_approved=build.review_state == APPROVED,
    )


def own_baseline(build: Build) -> Baseline | None:
    """Return the baseline of the build's branch, which its approval changes, if there is one."""
    rows = Baseline.objects.filter(
        product_id=build.product_id, head_repository=build.head_repository, branch=build.branch
    )
    return rows.first()
