"""get_decisions: the decisions in a build, with their authors, comments and evidence."""

from collections.abc import Mapping
from typing import Any, Final, Self

from django.db.models import Q, QuerySet
from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import Source
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput, ActionResult, Timestamp
from visual_review.actions.thread_results import ThreadResult
from visual_review.builds.deciders import name_person
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import build_of, count_by_state_and_decision
from visual_review.builds.review_obstacles import count_open, count_open_removals
from visual_review.builds.reviewing.evidence import (
    Evidence,
    count_unseen,
    current_evidence,
    describe_images,
    evidence_of_build,
    read_evidence,
)
from visual_review.builds.states import (
    APPROVED,
    REJECTED,
    UNCHANGED,
    Decision,
    DiffState,
    ReviewState,
    Status,
)
from visual_review.builds.threads.reading import threads_of_build
from visual_review.kernel.clock import rfc3339
from visual_review.kernel.errors import InvalidInputError
from visual_review.kernel.ids import is_id
from visual_review.variants import Device, Theme

DECISIONS_AT_ONCE: Final = 200
CURSOR_UNKNOWN: Final = (
    "This is not a cursor of get_decisions. Send nextCursor of the page before, or none."
)
_MAX_DIGITS: Final = 9


class FetchedImageResult(ActionResult):
    """An image that was fetched before the decision, of the very pair that was decided."""

    form: str = Field(
        description="`sheet`, `composite`, `whole`, `before`, `after` or `diff`.",
        examples=["sheet"],
    )
    scale: float = Field(
        description="The largest scale of the shown image; 1 shows every pixel.", examples=[1.0]
    )
    before: str | None = Field(
        description="SHA-256 of the baseline's image, if it was visible.", examples=["9f86d081884c"]
    )
    after: str | None = Field(
        description="SHA-256 of the build's image, if it was visible.", examples=["60303ae22b99"]
    )


class EvidenceResult(ActionResult):
    """What a program had looked at when it decided."""

    client: str | None = Field(
        description="The program's name for itself; null if not given.",
        examples=["Claude Code"],
    )
    version: str | None = Field(
        description="The program's version; null if not given.", examples=["2.1.0"]
    )
    images: list[FetchedImageResult] = Field(
        description="The images fetched before by the same key or connection; empty for a "
        "decision without a look at the change."
    )
    summary: str = Field(description="The same in words.", examples=["looked at before and after"])

    @classmethod
    def of(cls, found: Evidence | None) -> Self | None:
        if found is None:
            return None
        images = [
            FetchedImageResult(
                form=image.form,
                scale=image.scale,
                before=image.before or None,
                after=image.after or None,
            )
            for image in found.images or ()
        ]
        return cls(
            client=found.client or None,
            version=found.version or None,
            images=images,
            summary=describe_images(found),
        )


class ShotDecisionResult(ActionResult):
    """The decision that stands on a screenshot."""

    number: int | None = Field(
        description="Number in the build, written `#12`; null for an unchanged screenshot.",
        examples=[12],
    )
    screenshot_id: str = Field(description="Its id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"])
    story_id: str = Field(description="Story of the screenshot.", examples=["card--default"])
    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    diff_state: DiffState = Field(description="How the screenshot differs.", examples=["changed"])
    decision: Decision = Field(description="The decision.", examples=["rejected"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    source: Source = Field(description="Source of the decision.", examples=["mcp"])
    client: str | None = Field(
        description="Name of the MCP client; null without one.", examples=["Claude Code"]
    )
    at: Timestamp | None = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])
    comment: str | None = Field(
        description="The comment; null without one.",
        examples=["The hover color is lost in dark."],
    )
    evidence: EvidenceResult | None = Field(
        description="The images that the program had looked at; null for decisions on the pages "
        "and for carried-over ones."
    )

    @classmethod
    def of(cls, shot: Screenshot, stored: dict[str, Any] | None) -> Self:
        return cls.model_validate(
            {
                "number": shot.number,
                "screenshot_id": shot.pk,
                "story_id": shot.story_id,
                "theme": shot.theme,
                "device": shot.device,
                "diff_state": shot.diff_state,
                "decision": shot.review_decision,
                "by": name_person(shot.decided_by_name),
                "source": shot.decision_source,
                "client": shot.decided_client or None,
                "at": rfc3339(shot.decided_at) if shot.decided_at else None,
                "comment": shot.comment or None,
                "evidence": EvidenceResult.of(read_evidence(stored)),
            }
        )


class BuildDecisionResult(ActionResult):
    """The decision on the build itself."""

    review_state: ReviewState = Field(description="The decision.", examples=["rejected"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    source: Source = Field(description="Source of the decision.", examples=["mcp"])
    client: str | None = Field(
        description="The program's name for itself; null if not given.",
        examples=["Claude Code"],
    )
    version: str | None = Field(
        description="The program's version; null if not given.", examples=["2.1.0"]
    )
    at: Timestamp | None = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])

    @classmethod
    def of(cls, build: Build, found: Evidence | None) -> Self | None:
        if not build.decision_source:
            return None
        client = found.client if found else build.decided_client
        return cls.model_validate(
            {
                "review_state": build.review_state,
                "by": name_person(build.decided_by_name),
                "source": build.decision_source,
                "client": client or None,
                "version": found.version or None if found else None,
                "at": rfc3339(build.decided_at) if build.decided_at else None,
            }
        )


class Input(ActionInput):
    build_id: BuildId
    cursor: str = Field(default="", description="`nextCursor` of the page before.", examples=["12"])


class Result(ActionResult):
    """The decisions that stand on a build, in the order of the screenshots' numbers."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    build_number: int = Field(description="The build's number.", examples=[128])
    status: Status = Field(
        description="State of the processing; only a completed build can be decided.",
        examples=["completed"],
    )
    review_state: ReviewState = Field(
        description="The build's review state.", examples=["rejected"]
    )
    decision: BuildDecisionResult | None = Field(
        description="The decision on the build itself; null while it is undecided."
    )
    approved: int = Field(
        description="How many changed, new and removed screenshots are approved.", examples=[22]
    )
    rejected: int = Field(
        description="How many changed, new and removed screenshots are rejected.", examples=[18]
    )
    open_screenshots: int = Field(
        description="How many changed and new screenshots have no decision.", examples=[1]
    )
    removals_open: int = Field(
        description="Number of removed screenshots of the build without a decision. Undecided "
        "removals do not block an approval of the build, and are accepted with the "
        "build.",
        examples=[0],
    )
    approved_unseen: int = Field(
        description="How many were approved through the API without an image of them fetched by "
        "the same key or connection.",
        examples=[0],
    )
    decisions: list[ShotDecisionResult] = Field(
        description="The decisions on screenshots; unchanged ones only if they are rejected or "
        "have a comment."
    )
    threads: list[ThreadResult] = Field(
        description="The open threads of the branch, oldest first, on the first page only."
    )
    next_cursor: str | None = Field(
        description="The cursor of the next page; null on the last one.", examples=[None]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    rows = list(_after(_decided(build), values.cursor)[: DECISIONS_AT_ONCE + 1])
    page = rows[:DECISIONS_AT_ONCE]
    pairs = count_by_state_and_decision(build)
    result = Result.model_validate(
        {
            "build_id": build.pk,
            "build_number": build.number,
            "status": build.status,
            "review_state": build.review_state,
            "decision": BuildDecisionResult.of(build, read_evidence(evidence_of_build(build))),
            "approved": _count(pairs, APPROVED),
            "rejected": _count(pairs, REJECTED),
            "open_screenshots": count_open(pairs),
            "removals_open": count_open_removals(pairs),
            "approved_unseen": count_unseen(build),
            "decisions": [ShotDecisionResult.of(row, vars(row)["evidence"]) for row in page],
            "threads": [] if values.cursor else _open_threads(build),
            "next_cursor": _cursor_of(page[-1]) if len(rows) > len(page) else None,
        }
    )
    return Outcome(result)


def _open_threads(build: Build) -> list[ThreadResult]:
    return [ThreadResult.of(shown) for shown in threads_of_build(build, only_open=True)]


def cursor_after(decision: ShotDecisionResult) -> str:
    """Return the cursor of the page after this decision, for texts that end earlier."""
    return decision.screenshot_id if decision.number is None else str(decision.number)


def _decided(build: Build) -> QuerySet[Screenshot]:
    shown = ~Q(diff_state=UNCHANGED) | Q(review_decision=REJECTED) | ~Q(comment="")
    rows = Screenshot.objects.filter(shown, build=build, detection_only=False)
    decided = rows.exclude(review_decision="").annotate(evidence=current_evidence())
    # Numbers come first, in their order; the few others by their ids.
    return decided.order_by("number", "pk")


def _after(rows: QuerySet[Screenshot], cursor: str) -> QuerySet[Screenshot]:
    if not cursor:
        return rows
    if is_id(cursor, "shot"):
        return rows.filter(number=None, pk__gt=cursor)
    if cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_DIGITS:
        return rows.filter(Q(number__gt=int(cursor)) | Q(number=None))
    raise InvalidInputError(CURSOR_UNKNOWN, [("/cursor", "is not a cursor of get_decisions")])


def _cursor_of(row: Screenshot) -> str:
    return row.pk if row.number is None else str(row.number)


def _count(pairs: Mapping[tuple[str, str], int], decision: str) -> int:
    return sum(
        count for (state, given), count in pairs.items() if given == decision and state != UNCHANGED
    )


ACTION = Action(
    name="get_decisions",
    title="Get the decisions on a build",
    permission=BUILDS_VIEW,
    description="Returns what was decided in a build, by whom and through what, with comments and "
    "the images that the program had fetched, page by page; and the open threads.",
    input=Input,
    result=Result,
    run=run,
)
