"""get_build: return one build in full, with every screenshot."""

from collections.abc import Iterator
from typing import Final

import msgspec
from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import (
    BuildResult,
    VariantResult,
    build_fields,
)
from visual_review.actions.change_results import GroupResult
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.actions.screenshot_records import ScreenshotRecords, records_of_rows
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.images.links import links_of_rows
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of, groups_of
from visual_review.builds.read_models import count_screenshots, screenshot_rows
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.large_calls import begin_result

# Screenshots that are encoded at once, in about a megabyte.
BATCH: Final = 1000
# What follows the screenshots, which are the last property of the last one.
END: Final = b"]}}"


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
    screenshots: ScreenshotRecords


class Result(ActionResult):
    build: FullBuild

    def to_json_parts(self) -> Iterator[bytes]:
        """Yield everything else first, then the screenshots in batches."""
        shots = self.build.screenshots
        head = self.build.model_copy(update={"screenshots": []})
        text = self.__pydantic_serializer__.to_json(self.model_copy(update={"build": head}))
        yield text.removesuffix(END)
        for start in range(0, len(shots), BATCH):
            batch = msgspec.json.encode(shots[start : start + BATCH])
            # Without its brackets: it is part of the list that the first part began.
            yield (b"," if start else b"") + memoryview(batch)[1:-1]
        yield END


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    begin_result(lambda: count_screenshots(build))
    rows = screenshot_rows(build)
    links = links_of_rows(rows, caller.organization_id, blob_store())
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
            "screenshots": records_of_rows(rows, links),
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
