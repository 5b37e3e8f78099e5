"""list_changes: the changes in a build, grouped with similar changes, with numbers."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.extended.change_rows import ListedChange, ListedGroup
from visual_review.actions.extended.decision_input import SEEN_EXAMPLE, format_seen
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput, ActionResult, Link
from visual_review.builds.flakiness import load_flakiness
from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.queries import build_of, count_by_state_and_decision
from visual_review.builds.review_obstacles import count_open, count_open_removals
from visual_review.builds.reviewing.listed_changes import (
    ChangeFilter,
    count_numbered,
    list_numbered,
    load_previous,
    number_remainders,
)
from visual_review.builds.states import ReviewState, Status
from visual_review.builds.threads.reading import count_open_threads
from visual_review.builds.urls import build_page
from visual_review.builds.variants import VariantKey
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.repositories.names import NAME_LENGTH
from visual_review.variants import Device, Theme

CHANGES_AT_ONCE: Final = 400
MOST_DIGITS: Final = 9
State = Literal["changed", "new", "removed", "failed"]
DecisionFilter = Literal["undecided", "approved", "rejected"]


class Input(ActionInput):
    build_id: BuildId
    states: list[State] = Field(
        default_factory=list, description="Only these. Empty: all.", examples=[["changed"]]
    )
    decision: DecisionFilter | None = Field(
        default=None, description="Only screenshots with this decision.", examples=["undecided"]
    )
    group: Annotated[str, Field(max_length=NAME_LENGTH)] = Field(
        default="", description="Only this group: `G3` or an id.", examples=["G3"]
    )
    story: Annotated[str, Field(max_length=NAME_LENGTH)] = Field(
        default="",
        description="Only stories whose id begins with this.",
        examples=["components-button"],
    )
    theme: Theme | None = Field(default=None, description="Only this theme.", examples=["dark"])
    device: Device | None = Field(default=None, description="Only this device.", examples=["phone"])
    with_ids: bool = Field(
        default=False,
        description="Also write the ids of screenshots and groups into the text; numbers are "
        "enough for get_images and review_changes.",
        examples=[False],
    )
    with_boxes: bool = Field(
        default=False,
        description="Also write where each changed into the text: its most severe areas as "
        "`x,y WIDTHxHEIGHT` in pixels.",
        examples=[False],
    )
    cursor: str = Field(default="", description="`nextCursor` of the page before.", examples=["48"])


class Result(ActionResult):
    """The changes of a build in the order of their numbers, by group."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    build_number: int = Field(description="The build's number.", examples=[128])
    branch: str = Field(description="Branch of the build.", examples=["feature/cards"])
    commit: str = Field(description="Commit of the build.", examples=["1f7c1b2c0f3d"])
    message: str = Field(description="The commit's message.", examples=["Give cards more room"])
    pull_request: int | None = Field(description="Pull request of the build.", examples=[41])
    status: Status = Field(
        description="State of the processing; only a completed build can be decided.",
        examples=["completed"],
    )
    failure: str | None = Field(
        description="Why the build failed; null unless it did.", examples=[None]
    )
    review_state: ReviewState = Field(
        description="The decision on the build.", examples=["unreviewed"]
    )
    changed: int = Field(description="Changed screenshots.", examples=[41])
    new: int = Field(description="New screenshots.", examples=[0])
    removed: int = Field(description="Removed screenshots.", examples=[0])
    failed: int = Field(description="Failed screenshots.", examples=[0])
    inherited: int = Field(
        description="Unchanged screenshots that were not captured, but taken over from the "
        "baseline.",
        examples=[0],
    )
    open_screenshots: int = Field(
        description="How many changed and new screenshots have no decision.", examples=[41]
    )
    removals_open: int = Field(
        description="Number of removed screenshots of the build without a decision. Undecided "
        "removals do not block an approval of the build, and are accepted with the "
        "build.",
        examples=[0],
    )
    matching: int = Field(description="How many match the filters, on all pages.", examples=[41])
    seen: str = Field(
        description="Send `seen` with review_changes: later decisions of others then need "
        "confirmation.",
        examples=[SEEN_EXAMPLE],
    )
    url: Link = Field(
        description="The review page.",
        examples=["https://reviews.example.com/builds/build_01jq3v8e6m5x0c2n9d4t7r1kzb"],
    )
    with_ids: bool = Field(description="Whether ids were asked for in texts.", examples=[False])
    open_threads: int = Field(
        description="Number of unresolved threads of comments in the branch.", examples=[2]
    )
    with_boxes: bool = Field(description="Whether texts have areas.", examples=[False])
    groups: list[ListedGroup] = Field(description="Groups of changes that look alike.")
    next_cursor: str | None = Field(
        description="The cursor of the next page; null on the last one.", examples=[None]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    # Before the rows: decisions in between are then reported as decided since.
    seen = format_seen(build.pk)
    chosen = _filter_of(build, values)
    rows = list_numbered(build, chosen, _read_cursor(values.cursor), CHANGES_AT_ONCE + 1)
    page = rows[:CHANGES_AT_ONCE]
    pairs = count_by_state_and_decision(build)
    fields = {
        "build_id": build.pk,
        "build_number": build.number,
        "branch": build.branch,
        "commit": build.commit,
        "message": build.message,
        "pull_request": build.pull_request,
        "status": build.status,
        "failure": build.failure or None,
        "review_state": build.review_state,
        "changed": build.changed_count,
        "new": build.new_count,
        "removed": build.removed_count,
        "failed": build.failed_count,
        "inherited": build.inherited_count,
        "open_screenshots": count_open(pairs),
        "removals_open": count_open_removals(pairs),
        "open_threads": count_open_threads(build),
        "matching": count_numbered(build, chosen),
        "seen": seen,
        "url": build_page(build),
        "with_ids": values.with_ids,
        "with_boxes": values.with_boxes,
        "groups": _group(build, page),
        "next_cursor": str(page[-1].number) if len(rows) > len(page) else None,
    }
    return Outcome(Result.model_validate(fields))


def cursor_after(change: ListedChange) -> str:
    """Return the cursor of the page after this change, for texts that end earlier."""
    return str(change.number)


def _filter_of(build: Build, values: Input) -> ChangeFilter:
    return ChangeFilter(
        states=values.states,
        decision=values.decision or "",
        group=_find_group(build, values.group) if values.group else None,
        story_prefix=values.story,
        theme=values.theme or "",
        device=values.device or "",
    )


def _find_group(build: Build, name: str) -> ChangeGroup:
    groups = ChangeGroup.objects.filter(build=build)
    digits = name[1:] if name[:1] in {"G", "g"} else ""
    if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS:
        found = groups.filter(number=int(digits)).first()
    else:
        found = groups.filter(pk=name).first()
    if found is None:
        raise NotFoundError(
            f"This build has no group '{name[:80]}'. Call list_changes without group to see all."
        )
    return found


def _read_cursor(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= MOST_DIGITS):
        raise InvalidInputError(
            "This is not a cursor of list_changes. Send nextCursor of the page before, or none.",
            [("/cursor", "is not a cursor of list_changes")],
        )
    return int(cursor)


def _group(build: Build, rows: Sequence[Screenshot]) -> list[ListedGroup]:
    previous = load_previous(build, rows)
    flaky = load_flakiness(build, {row.story_id for row in rows})
    groups = {row.group_id: row.group for row in rows}
    remainders = number_remainders([group for group in groups.values() if group is not None])
    members: dict[str | None, list[ListedChange]] = {}
    for row in rows:
        key = VariantKey(row.story_id, row.theme, row.device)
        change = ListedChange.of(row, previous.get(key), flaky.get(key))
        members.setdefault(row.group_id, []).append(change)
    return [
        ListedGroup.of(groups[pk], changes, remainders.get(pk or "", []))
        for pk, changes in members.items()
    ]


ACTION = Action(
    name="list_changes",
    title="List the changes of a build",
    permission=BUILDS_VIEW,
    description="Lists what changed in a build, in groups of changes that look alike, each "
    "screenshot with a short number (#12) for get_images and review_changes.",
    input=Input,
    result=Result,
    run=run,
)
