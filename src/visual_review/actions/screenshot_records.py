"""Screenshots as records, which are made and encoded many times faster than models.

A build has up to tens of thousands. What is published about them, and checked when a result comes
from elsewhere, is ``ScreenshotResult``: a test compares the two.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Final

import msgspec
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from visual_review.actions.build_results import Origins
from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.builds.deciders import ApprovalOrigin, name_person
from visual_review.builds.earlier_decisions import (
    NO_EARLIER,
    DecisionsByShot,
    EarlierDecisions,
    LoggedComment,
    decisions_before,
)
from visual_review.builds.images.links import ScreenshotLinks
from visual_review.builds.read_models import ScreenshotRow
from visual_review.builds.states import CHANGED
from visual_review.kernel.clock import rfc3339


class Record(msgspec.Struct, rename="camel", frozen=True, gc=False):
    """Base of the records. They refer to no record that refers to them, so gc need not look."""


class VariantRecord(Record, frozen=True):
    theme: str
    device: str


class CarriedOverFromRecord(Record, frozen=True):
    build_id: str
    build_number: int
    pull_request: int | None
    screenshot_id: str


class DeciderRecord(Record, frozen=True):
    name: str
    at: str
    source: str
    client: str | None


class DeciderWithOriginRecord(DeciderRecord, frozen=True):
    carried_over_from: CarriedOverFromRecord | None = None


class SizeRecord(Record, frozen=True):
    width: int
    height: int


class EarlierCommentRecord(Record, frozen=True):
    comment: str
    decision: str
    decided: DeciderRecord


class OffsetRecord(Record, frozen=True):
    x: int
    y: int


class ColorsRecord(Record, frozen=True):
    before: str
    after: str


class ContrastRecord(Record, frozen=True):
    before: float
    after: float


class ChangeRecord(Record, frozen=True):
    kind: str
    x: int
    y: int
    width: int
    height: int
    pixels: int
    description: str
    moved_by: OffsetRecord | None = None
    colors: ColorsRecord | None = None
    contrast: ContrastRecord | None = None


class ScreenshotRecord(Record, frozen=True):
    """One screenshot, with the properties of ``ScreenshotResult``."""

    id: str
    story_id: str
    title: str
    variant: VariantRecord
    diff_state: str
    diff_ratio: float
    kind: str | None
    summary: str | None
    severity: float | None
    aligned_ratio: float | None
    faint_pixels: int
    changes: tuple[ChangeRecord, ...]
    group_id: str | None
    message: str
    inherited: bool
    only_in_regions: bool
    matches_former_baseline: bool
    review_decision: str | None
    decided: DeciderWithOriginRecord | None
    comment: str | None
    earlier_comment: EarlierCommentRecord | None
    earlier_decisions: int
    before_url: str | None
    before_size: SizeRecord | None
    after_url: str | None
    after_size: SizeRecord | None
    diff_url: str | None
    change_thumbnail_url: str | None
    thumbnail_url: str | None


NO_CHANGES: Final[tuple[ChangeRecord, ...]] = ()
_changes: Final = msgspec.json.Decoder(tuple[ChangeRecord, ...])


class _Sizes(dict[tuple[int | None, int | None], SizeRecord | None]):
    """One record for each size, because a build has few."""

    def __missing__(self, key: tuple[int | None, int | None]) -> SizeRecord | None:
        width, height = key
        made = None if width is None or height is None else SizeRecord(width, height)
        self[key] = made
        return made


class RecordMaker:
    """Makes records of rows; what many rows of a build share is made once."""

    def __init__(self, logged: DecisionsByShot, origins: Origins) -> None:
        self._logged = logged
        self._origins = origins
        self._variants: dict[tuple[str, str], VariantRecord] = {}
        self._sizes = _Sizes()
        self._deciders: dict[tuple[str, str, datetime, str, str], DeciderWithOriginRecord] = {}

    def make(self, row: ScreenshotRow, links: ScreenshotLinks) -> ScreenshotRecord:
        # Verdicts of earlier versions have no kind.
        known = row.diff_state == CHANGED and bool(row.comparison__kind)
        changes = row.worst_changes if known else None
        earlier = self._earlier(row) if self._logged else NO_EARLIER
        return ScreenshotRecord(
            row.id,
            row.story_id,
            row.title,
            self._variant(row),
            row.diff_state,
            row.diff_ratio,
            row.comparison__kind if known else None,
            row.comparison__summary if known else None,
            row.comparison__severity if known else None,
            row.comparison__aligned_ratio if known else None,
            # Of an unchanged one, too: a product may ignore faint changes.
            row.comparison__faint_pixels or 0,
            _changes.decode(changes) if changes else NO_CHANGES,
            row.group_id,
            row.message,
            row.inherited,
            row.only_in_regions,
            row.matches_former_baseline,
            # Text columns are empty where JSON has null.
            row.review_decision or None,
            self._decider(row) if row.decided_at else None,
            row.comment or None,
            _comment_record(earlier.commented) if earlier.commented else None,
            earlier.number,
            links.before,
            # Unchanged ones have no link to it.
            self._sizes[row.baseline_image__width, row.baseline_image__height]
            if links.before
            else None,
            links.after,
            self._sizes[row.image__width, row.image__height] if links.after else None,
            links.diff,
            links.change_thumbnail,
            links.thumbnail,
        )

    def _variant(self, row: ScreenshotRow) -> VariantRecord:
        key = row.theme, row.device
        found = self._variants.get(key)
        if found is None:
            found = self._variants[key] = VariantRecord(*key)
        return found

    def _decider(self, row: ScreenshotRow) -> DeciderWithOriginRecord | None:
        if row.decided_at is None or not row.decision_source:
            return None
        carried = row.carried_from_id
        key = row.decided_by_name, row.decision_source, row.decided_at, row.decided_client, carried
        found = self._deciders.get(key)
        if found is None:
            name, source, at, client, _ = key
            origin = _origin_record(self._origins.get(carried))
            found = DeciderWithOriginRecord(
                name_person(name), rfc3339(at), source, client or None, origin
            )
            self._deciders[key] = found
        return found

    def _earlier(self, row: ScreenshotRow) -> EarlierDecisions:
        logged = self._logged.get(row.id)
        if logged is None:
            return NO_EARLIER
        return decisions_before(logged, row.review_decision, row.decision_source)


def _origin_record(origin: ApprovalOrigin | None) -> CarriedOverFromRecord | None:
    if origin is None:
        return None
    screenshot_id, build_id, build_number, pull_request = origin
    return CarriedOverFromRecord(build_id, build_number, pull_request, screenshot_id)


def _comment_record(row: LoggedComment) -> EarlierCommentRecord:
    name, at = name_person(row.decided_by_name), rfc3339(row.decided_at)
    decider = DeciderRecord(name, at, row.source, row.client or None)
    return EarlierCommentRecord(row.comment, row.decision, decider)


def records_of_rows(
    rows: Sequence[ScreenshotRow],
    links: Sequence[ScreenshotLinks],
    logged: DecisionsByShot,
    origins: Origins,
) -> list[ScreenshotRecord]:
    return list(map(RecordMaker(logged, origins).make, rows, links))


class _AsScreenshotResults:
    """Validates and publishes records in a model as a list of ``ScreenshotResult``."""

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            _to_records,
            handler.generate_schema(list[ScreenshotResult]),
            serialization=core_schema.plain_serializer_function_ser_schema(msgspec.to_builtins),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(schema["schema"])


def _to_records(
    value: object, validate: Callable[[object], Sequence[ScreenshotResult]]
) -> list[ScreenshotRecord]:
    # Ours were made of rows: validating each would cost more than all the rest.
    if isinstance(value, list) and all(type(each) is ScreenshotRecord for each in value):
        return value
    return [record_of(each) for each in validate(value)]


def record_of(shot: ScreenshotResult) -> ScreenshotRecord:
    return msgspec.convert(shot.model_dump(), ScreenshotRecord)


ScreenshotRecords = Annotated[list[ScreenshotRecord], _AsScreenshotResults()]
