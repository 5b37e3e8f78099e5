"""The formats and limits of single values in the CI interface."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field

from visual_review.actions.schema import ActionInput, JsonInteger, checked
from visual_review.builds.images.image_memory import image_limits
from visual_review.builds.models import SHA256_LENGTH
from visual_review.repositories.names import (
    NAME_LENGTH,
    check_branch,
    check_full_name,
    check_product_key,
)
from visual_review.variants import Device, Theme

# The largest value of a 32-bit column of PostgreSQL.
LARGEST_NUMBER: Final = 2**31 - 1
MAX_SHARDS: Final = 1000
MAX_STORIES: Final = 50_000
# A chunk is one transaction that locks the build's row, so other shards wait for the chunk.
MAX_CHUNK: Final = 500
TITLE_LENGTH: Final = 500
NONCE_LENGTH: Final = 200
# Commit messages and stack traces may be long; no one reads further on a review page.
MAX_TEXT_LENGTH: Final = 10_000
# A build may have 12,000 screenshots, and a broken server adds the same notes to each of them.
MAX_NOTES: Final = 20
MAX_NOTE_LENGTH: Final = 1000
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _one_line(text: str) -> str:
    found = _CONTROL.search(text)
    if found is not None:
        raise ValueError(f"must not contain control characters; one is at {found.start()}")
    return text


def _truncate(text: object) -> object:
    return text[:MAX_TEXT_LENGTH] if isinstance(text, str) else text


def _truncate_note(text: object) -> object:
    return text[:MAX_NOTE_LENGTH] if isinstance(text, str) else text


def _parse_integer(text: object) -> object:
    # A query contains only strings.
    return int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,10}", text) else text


def _check_side(pixels: int) -> int:
    most = image_limits().side
    if pixels > most:
        raise ValueError(f"at most {most} pixels a side are accepted")
    return pixels


OneLine = Annotated[str, AfterValidator(_one_line)]
Nonce = Annotated[OneLine, Field(min_length=1, max_length=NONCE_LENGTH)]
StoryId = Annotated[OneLine, Field(min_length=1, max_length=NAME_LENGTH)]
Title = Annotated[OneLine, Field(max_length=TITLE_LENGTH)]
LongText = Annotated[str, BeforeValidator(_truncate)]
# Later clients may know other kinds, so their names are not listed here.
NoteKind = Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,39}$")]
NoteText = Annotated[str, BeforeValidator(_truncate_note), Field(min_length=1)]
Branch = Annotated[str, checked(check_branch)]
BaseBranch = Annotated[str, checked(check_branch, allow_empty=True)]
RepositoryName = Annotated[str, checked(check_full_name)]
HeadRepository = Annotated[str, checked(check_full_name, allow_empty=True)]
ProductKey = Annotated[str, checked(check_product_key)]
Commit = Annotated[str, Field(pattern=r"^[0-9A-Za-z._-]{1,64}$")]
OtherCommit = Annotated[str, Field(pattern=r"^[0-9A-Za-z._-]{0,64}$")]
Sha256 = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{SHA256_LENGTH}}}$")]
OptionalSha256 = Annotated[str, Field(pattern=rf"^([0-9a-f]{{{SHA256_LENGTH}}})?$")]
SourceHash = Annotated[str, Field(pattern=r"^[0-9A-Za-z._:+/=-]{0,64}$")]
PullRequest = Annotated[JsonInteger, Field(ge=1, le=LARGEST_NUMBER)]
QueryPullRequest = Annotated[PullRequest, BeforeValidator(_parse_integer)]
Shard = Annotated[JsonInteger, Field(ge=1, le=MAX_SHARDS)]
VersionNumber = Annotated[JsonInteger, Field(ge=0, le=LARGEST_NUMBER)]
# The limit is a setting, and a schema cannot contain settings.
Side = Annotated[JsonInteger, Field(ge=1, le=LARGEST_NUMBER), AfterValidator(_check_side)]
Threshold = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class VariantInput(ActionInput):
    theme: Theme
    device: Device
