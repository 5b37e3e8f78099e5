"""The decisions of one request, as an input."""

import hashlib
import json
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from visual_review.actions.extended.selection import MOST_NAMES, ChangeSelection, Name
from visual_review.actions.published.review_screenshot import COMMENT_LENGTH
from visual_review.builds.cursors import Cursor, cursor_of, parse_cursor
from visual_review.builds.reviewing.requests import BatchDecision
from visual_review.builds.states import CLEARED
from visual_review.kernel.errors import InvalidInputError

MOST_DECISIONS: Final = 100
SEEN_EXAMPLE: Final = "build_01jq3v8e6m5x0c2n9d4t7r1kzb:1-4711-5d41402a"


class ChangeDecision(ChangeSelection):
    """One decision, and the screenshots that it is on."""

    stories: list[Name] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="All changed and new screenshots of stories: their ids. Removed ones are named "
        "by their numbers, or by their group.",
        examples=[["components-button--primary"]],
    )

    state: BatchDecision = Field(
        description="The decision; `cleared` makes the named screenshots undecided again.",
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


def format_seen(build_id: str) -> str:
    """Return the current view of a reviewer of the build: the build and its cursor."""
    return f"{build_id}:{cursor_of(build_id)}"


def parse_seen(text: str, build_id: str) -> Cursor:
    """Return the cursor; raises InvalidInputError for another build's cursor."""
    named, _, cursor = text.partition(":")
    if named != build_id or not cursor:
        problem = (
            f"is not 'seen' of the build {build_id}. Pass what its list_changes returned last."
        )
        raise InvalidInputError(f"The input is not valid: /seen: {problem}", [("/seen", problem)])
    return parse_cursor(cursor)


def digest_of(decisions: list[ChangeDecision]) -> str:
    """Return a digest that is equal for a request and its repetitions."""
    asked = [decision.model_dump(mode="json") for decision in decisions]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
