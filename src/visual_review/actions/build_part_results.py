"""Parts of a build in full as JSON: counts and the baseline."""

from pydantic import Field

from visual_review.actions.schema import ActionResult
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.states import Decision, DiffState


class Counts(ActionResult):
    """Numbers of screenshots by what the comparison saw; all are 0 until it is done."""

    changed: int = Field(description="Number of changed ones.", examples=[2])
    new: int = Field(description="Number of new ones.", examples=[1])
    removed: int = Field(description="Number of removed ones.", examples=[0])
    failed: int = Field(description="Number of failed ones.", examples=[0])
    unchanged: int = Field(description="Number of unchanged ones.", examples=[237])
    inherited: int = Field(
        description="Of the unchanged ones: not captured, taken over from the baseline.",
        examples=[0],
    )


class DecisionCountResult(ActionResult):
    """How many screenshots have both this diff state and this decision."""

    diff_state: DiffState = Field(
        description="The result of the comparison; `pending` before its end.", examples=["changed"]
    )
    decision: Decision | None = Field(
        description="The current decision; null: undecided.", examples=["approved"]
    )
    count: int = Field(description="Number of these screenshots, 1 or more.", examples=[1])


class BaselineResult(ActionResult):
    """What the build was compared with, and the rule that chose it."""

    rule: Rule = Field(description="The rule that chose the branch; `none`: there is no baseline.")
    branch: str | None = Field(
        description="The branch whose baseline it is; null without one.", examples=["main"]
    )
    move: int = Field(description="Version of this baseline, from 1; 0 without one.", examples=[12])
