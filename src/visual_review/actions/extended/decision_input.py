"""The decisions of one request, as an input."""

import hashlib
import json
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from visual_review.actions.extended.selection import MOST_NAMES, ChangeSelection, Name
from visual_review.actions.published.review_screenshot import COMMENT_LENGTH
from visual_review.builds.reviewing.requests import BatchDecision
from visual_review.builds.states import CLEARED

MOST_DECISIONS: Final = 100


class ChangeDecision(ChangeSelection):
    """One decision, and the screenshots that it is on."""

    stories: list[Name] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="All changed and new screenshots of stories: their ids. Removed ones are named "
        "by their numbers.",
        examples=[["components-button--primary"]],
    )

    state: BatchDecision = Field(
        description="The decision; `cleared` makes what it names undecided again.",
        examples=["rejected"],
    )
    comment: str = Field(
        default="",
        max_length=COMMENT_LENGTH,
        description="Why, for the author. Kept with the decision, and posted with a rejection.",
        examples=["The hover color is lost in dark."],
    )


def _check_decision(decision: ChangeDecision) -> ChangeDecision:
    if decision.is_empty:
        raise ValueError("Name at least one screenshot, group or story.")
    if decision.state == CLEARED and decision.comment:
        raise ValueError("A decision that is cleared keeps no comment. Leave it out.")
    return decision


CheckedDecision = Annotated[ChangeDecision, AfterValidator(_check_decision)]


def digest_of(decisions: list[ChangeDecision]) -> str:
    """Return what a request that is sent again has in common with the first."""
    asked = [decision.model_dump(mode="json") for decision in decisions]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
