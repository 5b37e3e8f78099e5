"""get_build: return one build in full, with every screenshot."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import (
    BaselineResult,
    BuildFields,
    Counts,
    DeciderWithOriginResult,
    DecisionCountResult,
    VariantResult,
    build_fields,
)
from visual_review.actions.identifiers import BuildId
from visual_review.actions.published.set_dynamic_regions import StoredRegion
from visual_review.actions.schema import ActionInput, ActionResult, Timestamp
from visual_review.actions.screenshot_results import (
    GroupResult,
    ScreenshotResult,
    screenshots_as_fields,
)
from visual_review.builds.carried_approvals import find_origins_in
from visual_review.builds.earlier_decisions import logged_decisions
from visual_review.builds.images.links import LINK_SECONDS, links_of_rows
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of, groups_of
from visual_review.builds.read_models import ScreenshotRow, screenshot_rows
from visual_review.builds.states import DECISIONS, DIFF_STATES
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import rfc3339
from visual_review.repositories.regions import regions_of

STATE_AND_DECISION: Final = attrgetter("diff_state", "review_decision")


class Input(ActionInput):
    build_id: BuildId


class DynamicRegionsResult(ActionResult):
    """The current dynamic regions of a story variant; differences in them are ignored."""

    story_id: str = Field(description="Id of the story in Storybook.", examples=["clock--default"])
    variant: VariantResult = Field(description="Theme and device of the regions.")
    regions: list[StoredRegion] = Field(
        description="All regions, as fractions of the image from its top left corner."
    )


class FullBuild(BuildFields):
    """A build in full, with every screenshot."""

    decided: DeciderWithOriginResult | None = Field(
        description="Who made the current decision; null while undecided."
    )

    repo_id: str = Field(
        description="Id of the repository.", examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"]
    )
    message: str = Field(
        description="Message of the commit; empty where CI sent none.",
        examples=["Make the login button red"],
    )
    base_branch: str | None = Field(
        description="The pull request's base branch; null without a pull request.",
        examples=["main"],
    )
    base_commit: str | None = Field(
        description="The pull request's base commit; null if unknown.",
        examples=["b7e23ec29af22b0b4e41da31e868d57226121c84"],
    )
    failure: str | None = Field(
        description="Why the build failed; null unless it did.", examples=[None]
    )
    partial: bool = Field(
        description="True: only some stories were captured, the others are the baseline's.",
        examples=[False],
    )
    matrix: list[VariantResult] = Field(
        description="The variants that every captured story has.",
        examples=[[{"theme": "light", "device": "phone"}, {"theme": "dark", "device": "phone"}]],
    )
    counts: Counts = Field(description="Numbers of its screenshots by diff state.")
    decision_counts: list[DecisionCountResult] = Field(
        description="Numbers of its screenshots by diff state and decision, without zeros.",
        examples=[
            [
                {"diffState": "changed", "decision": None, "count": 1},
                {"diffState": "changed", "decision": "approved", "count": 1},
                {"diffState": "new", "decision": None, "count": 1},
                {"diffState": "unchanged", "decision": None, "count": 237},
            ]
        ],
    )
    baseline: BaselineResult = Field(description="The baseline of the comparison.")
    dynamic_regions: list[DynamicRegionsResult] = Field(
        description="The product's current dynamic regions for variants of this build; variants "
        "without any are not listed.",
    )
    links_expire_at: Timestamp = Field(
        description="When the image URLs of this result stop working; call get_build again for "
        "new ones.",
        examples=["2026-03-14T10:25:00.000Z"],
    )
    groups: list[GroupResult] = Field(
        description="Screenshots that changed alike, the most severe first. Each changed "
        "screenshot is in a group, if only by itself.",
    )
    screenshots: list[ScreenshotResult] = Field(
        description="All screenshots of the build; screenshots that need a review first."
    )


class Result(ActionResult):
    """One build."""

    build: FullBuild = Field(description="The build in full.")


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    rows = screenshot_rows(build)
    blobs = blob_store()
    # Before the links are made, so that no link ends earlier.
    links_end = blobs.links_expire_at(LINK_SECONDS)
    links = links_of_rows(rows, caller.organization_id, blobs)
    origins = find_origins_in(build.id) if any(row.carried_from_id for row in rows) else {}
    full = FullBuild.model_validate(
        {
            **build_fields(build, build.product.key),
            "decided": DeciderWithOriginResult.with_origin(build, origins),
            "repo_id": build.repository_id,
            "message": build.message,
            "base_branch": build.base_branch or None,
            "base_commit": build.base_commit or None,
            "failure": build.failure or None,
            "partial": build.is_partial,
            "matrix": [{"theme": theme, "device": device} for theme, device in build.matrix],
            "counts": _counts(build),
            "decision_counts": _decision_counts(rows),
            "baseline": _baseline(build),
            "dynamic_regions": _dynamic_regions(build, rows),
            "links_expire_at": rfc3339(links_end),
            "groups": [GroupResult.of(group) for group in groups_of(build)],
            "screenshots": screenshots_as_fields(rows, links, logged_decisions(build), origins),
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
        inherited=build.inherited_count,
    )


def _decision_counts(rows: Sequence[ScreenshotRow]) -> list[DecisionCountResult]:
    counted = Counter(map(STATE_AND_DECISION, rows))
    pairs = ((state, decision) for state in DIFF_STATES for decision in ("", *DECISIONS))
    return [
        DecisionCountResult.model_validate(
            {"diff_state": state, "decision": decision or None, "count": counted[state, decision]}
        )
        for state, decision in pairs
        if counted[state, decision]
    ]


def _dynamic_regions(build: Build, rows: Sequence[ScreenshotRow]) -> list[dict[str, object]]:
    known = regions_of(build.product)
    # Most products have none, and thousands of keys need not be made.
    keys = ((row.story_id, row.theme, row.device) for row in rows) if known else ()
    return [
        {
            "story_id": key[0],
            "variant": {"theme": key[1], "device": key[2]},
            "regions": known[key],
        }
        for key in keys
        if key in known
    ]


def _baseline(build: Build) -> dict[str, object]:
    return {
        "rule": build.baseline_rule,
        "branch": build.baseline.branch if build.baseline else None,
        "move": build.baseline_version,
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
