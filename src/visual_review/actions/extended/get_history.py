"""get_history: the changes and decisions of a story in the last builds."""

from collections.abc import Sequence
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.extended.get_decisions import ShotDecisionResult
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger, Timestamp
from visual_review.builds.flakiness import Flakiness, load_flakiness
from visual_review.builds.models import Screenshot
from visual_review.builds.reviewing.story_versions import (
    BUILDS_AT_ONCE,
    has_story,
    load_history,
    newest_build,
)
from visual_review.builds.states import DiffState
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import rfc3339
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.repositories.models import Product
from visual_review.repositories.names import NAME_LENGTH
from visual_review.repositories.queries import repository_of, unknown_product
from visual_review.variants import Device, Theme

DEFAULT_PRODUCT: Final = "default"
DEFAULT_LIMIT: Final = 20
MOST_ENTRIES: Final = 100
_MAX_DIGITS: Final = 9


class VariantFlakinessResult(ActionResult):
    """How a variant of the story behaved in its last captures, on all branches."""

    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    captures: int = Field(description="How many captures were looked at.", examples=[10])
    unstable: int = Field(description="How many were still changing.", examples=[0])
    varied: int = Field(
        description="How many differ from the one before without a change of the sources.",
        examples=[1],
    )

    @classmethod
    def of(cls, key: VariantKey, found: Flakiness) -> Self:
        return cls.model_validate(
            {
                "theme": key.theme,
                "device": key.device,
                "captures": found.captures,
                "unstable": found.unstable,
                "varied": found.varied,
            }
        )


class HistoryEntry(ActionResult):
    """One screenshot of the story in one build."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    build_number: int = Field(description="The build's number.", examples=[128])
    branch: str = Field(description="The build's branch.", examples=["feature/cards"])
    pull_request: int | None = Field(
        description="The build's pull request; null without one.", examples=[41]
    )
    at: Timestamp = Field(
        description="When the build was created.", examples=["2026-03-14T09:26:53.000Z"]
    )
    number: int | None = Field(
        description="The screenshot's number in that build; null for an unchanged one.",
        examples=[12],
    )
    screenshot_id: str = Field(
        description="The screenshot's id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"]
    )
    theme: Theme = Field(description="Theme of the variant.", examples=["light"])
    device: Device = Field(description="Device of the variant.", examples=["desktop"])
    diff_state: DiffState = Field(description="How the screenshot differed.", examples=["changed"])
    summary: str | None = Field(
        description="The change in words, or the reason of the failure; null if unknown.",
        examples=["only colors: #1f6feb to #d1242f"],
    )
    unstable: str | None = Field(
        description="Why the page was still changing at the capture; null for a page at rest.",
        examples=[None],
    )
    decision: ShotDecisionResult | None = Field(
        description="The decision that stands; null while undecided."
    )

    @classmethod
    def of(cls, row: Screenshot) -> Self:
        build, comparison = row.build, row.comparison
        decision = (
            ShotDecisionResult.of(row, vars(row)["evidence"]) if row.review_decision else None
        )
        return cls.model_validate(
            {
                "build_id": build.pk,
                "build_number": build.number,
                "branch": build.branch,
                "pull_request": build.pull_request,
                "at": rfc3339(build.created_at),
                "number": row.number,
                "screenshot_id": row.pk,
                "theme": row.theme,
                "device": row.device,
                "diff_state": row.diff_state,
                "summary": row.message or (comparison.summary if comparison else "") or None,
                "unstable": row.unstable or None,
                "decision": decision,
            }
        )


def _clamp(value: int) -> int:
    return min(max(value, 1), MOST_ENTRIES)


class Input(ActionInput):
    repo_id: RepoId
    product_key: str = Field(
        default=DEFAULT_PRODUCT,
        description="The product. Omitted: the default one.",
        examples=["default"],
    )
    story_id: str = Field(
        max_length=NAME_LENGTH,
        description="The story's id, as in list_changes.",
        examples=["components-button--primary"],
    )
    theme: Theme | None = Field(default=None, description="Only this theme.", examples=["dark"])
    device: Device | None = Field(default=None, description="Only this device.", examples=["phone"])
    limit: Annotated[JsonInteger, AfterValidator(_clamp)] = Field(
        default=DEFAULT_LIMIT,
        description=f"About how many entries, clamped to 1..{MOST_ENTRIES}; a page ends with a "
        f"whole build. Omitted: {DEFAULT_LIMIT}.",
        examples=[DEFAULT_LIMIT],
    )
    cursor: str = Field(
        default="", description="`nextCursor` of the page before.", examples=["128"]
    )


class Result(ActionResult):
    """What happened to a story, newest build first."""

    repo_id: RepoId
    product_key: str = Field(description="The product.", examples=["default"])
    story_id: str = Field(description="The story.", examples=["components-button--primary"])
    searched_builds: int = Field(
        description="How many completed builds, on all branches, this page looked at.",
        examples=[40],
    )
    flakiness: list[VariantFlakinessResult] = Field(
        description="How each variant behaved in its last captures."
    )
    entries: list[HistoryEntry] = Field(
        description="Screenshots that differed, failed, were unstable or have a comment. In all "
        "other searched builds the story was unchanged or absent."
    )
    next_cursor: str | None = Field(
        description="The cursor of older builds; null on the last page.", examples=[None]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    product = Product.objects.filter(repository=repository, key=values.product_key).first()
    if product is None:
        raise unknown_product(repository.pk, values.product_key)
    chosen = {"theme": values.theme, "device": values.device}
    variant = {name: value for name, value in chosen.items() if value is not None}
    page = load_history(
        product, values.story_id, variant, _read_cursor(values.cursor), values.limit
    )
    if not page.rows and not values.cursor and not has_story(product, values.story_id):
        raise NotFoundError(
            f"None of the last {BUILDS_AT_ONCE} builds of this product has a story with this id. "
            "list_changes and get_build have the ids of stories."
        )
    result = Result(
        repo_id=repository.pk,
        product_key=product.key,
        story_id=values.story_id,
        searched_builds=page.searched,
        flakiness=_flakiness(product, values),
        entries=[HistoryEntry.of(row) for row in page.rows],
        next_cursor=None if page.next_build is None else str(page.next_build),
    )
    return Outcome(result)


def cursor_after(entries: Sequence[HistoryEntry], shown: int) -> tuple[int, str]:
    """Return how many whole builds' entries are among the first, and the cursor after them.

    For texts that end earlier than the result; at least the first build is shown whole.
    """
    builds = [entry.build_number for entry in entries]
    last = builds[max(shown, 1) - 1]
    if shown < len(builds) and builds[shown] == last:
        complete = builds.index(last)
        if complete == 0:
            return builds.count(last), str(last)
        return complete, str(builds[complete - 1])
    return shown, str(last)


def _flakiness(product: Product, values: Input) -> list[VariantFlakinessResult]:
    build = newest_build(product)
    found = load_flakiness(build, [values.story_id]) if build else {}
    return [
        VariantFlakinessResult.of(key, each)
        for key, each in sorted(found.items())
        if values.theme in {None, key.theme} and values.device in {None, key.device}
    ]


def _read_cursor(cursor: str) -> int | None:
    if not cursor:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_DIGITS):
        raise InvalidInputError(
            "This is not a cursor of get_history. Send nextCursor of the page before, or none.",
            [("/cursor", "is not a cursor of get_history")],
        )
    return int(cursor)


ACTION = Action(
    name="get_history",
    title="Get the history of a story",
    permission=BUILDS_VIEW,
    description="Returns how a story changed in the last builds, who decided what, how flaky it "
    "is and where its capture was unstable.",
    input=Input,
    result=Result,
    run=run,
)
