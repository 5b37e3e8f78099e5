"""get_build: return one build in full, with every screenshot."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import (
    BuildResult,
    ScreenshotResult,
    VariantResult,
    build_fields,
    screenshot_fields,
)
from visual_review.actions.change_results import GroupResult
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.images.links import image_links_of_rows, thumbnail_links_of_rows
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of, groups_of
from visual_review.builds.read_models import screenshot_rows
from visual_review.kernel.blobs import blob_store


class Input(ActionInput):
    build_id: str = Field(description="The build's id, from list_builds.")


class Counts(ActionResult):
    changed: int
    new: int
    removed: int
    failed: int
    unchanged: int


class BaselineResult(ActionResult):
    """What the build was compared with, and the rule that chose it."""

    rule: Rule
    branch: str | None
    move: int


class FullBuild(BuildResult):
    """A build in full; ``screenshots`` starts with those that need a review.

    ``groups`` are changed screenshots that changed alike; each is in one, be it alone.
    """

    message: str
    base_branch: str | None
    base_commit: str | None
    failure: str | None
    partial: bool
    matrix: list[VariantResult]
    counts: Counts
    baseline: BaselineResult
    groups: list[GroupResult]
    screenshots: list[ScreenshotResult]


class Result(ActionResult):
    build: FullBuild


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    rows = screenshot_rows(build)
    blobs = blob_store()
    links = image_links_of_rows(rows, caller.organization_id, blobs)
    thumbnails = thumbnail_links_of_rows(rows, caller.organization_id, blobs)
    full = FullBuild.model_validate(
        {
            **build_fields(build, build.product.key),
            "message": build.message,
            "base_branch": build.base_branch or None,
            "base_commit": build.base_commit or None,
            "failure": build.failure or None,
            "partial": build.is_partial,
            "matrix": [{"theme": theme, "device": device} for theme, device in build.matrix],
            "counts": _counts(build),
            "baseline": _baseline(build),
            "groups": [GroupResult.of(group) for group in groups_of(build)],
            "screenshots": [
                screenshot_fields(row, images, small)
                for row, images, small in zip(rows, links, thumbnails, strict=True)
            ],
        }
    )
    return Outcome(Result(build=full))


def _counts(build: Build) -> Counts:
    return Counts(
        changed=build.changed_count,
        new=build.new_count,
        removed=build.removed_count,
        failed=build.failed_count,
        unchanged=build.unchanged_count,
    )


def _baseline(build: Build) -> dict[str, object]:
    return {
        "rule": build.baseline_rule,
        "branch": build.baseline.branch if build.baseline else None,
        "move": build.baseline_move,
    }


ACTION = Action(
    name="get_build",
    title="Get a build",
    permission=BUILDS_VIEW,
    description="Returns one build with every screenshot: story, variant, what the comparison "
    "saw, the decision. Their id is screenshotId elsewhere.",
    input=Input,
    result=Result,
    run=run,
)
