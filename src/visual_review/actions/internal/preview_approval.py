"""preview_approval: the effects of approving the build."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.builds.queries import build_of
from visual_review.builds.reviewing.approval import ApprovalPreview, preview_approval


class Input(ActionInput):
    build_id: str
    include_unchanged: bool = False


class Rejections(ActionResult):
    """``by`` is the name of who rejected so many."""

    by: str
    count: int


class Result(ActionResult):
    """The approval would create this version of the baseline of ``branch``.

    ``rollsBack``: a newer build created the current version. ``replacesBuild`` is its number,
    older or newer.
    """

    undecided: int
    changed: int
    new: int
    removed: int
    removals_open: int
    failures: int
    unchanged: int
    rejections: list[Rejections]
    version: int
    branch: str
    rolls_back: bool
    replaces_build: int | None
    already_approved: bool


def preview_result(preview: ApprovalPreview) -> Result:
    rejections = [Rejections(by=each.by, count=each.count) for each in preview.rejections]
    return Result.model_validate({**vars(preview), "rejections": rejections})


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    preview = preview_approval(build, everything=values.include_unchanged)
    return Outcome(preview_result(preview))


ACTION = Action(
    name="preview_approval",
    title="Preview an approval",
    permission=BUILDS_VIEW,
    description="Returns what approving the build would do, and changes nothing.",
    input=Input,
    result=Result,
    run=run,
)
