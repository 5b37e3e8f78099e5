"""Validated input from CI about a recording: one test, one video, and its attachments."""

import re
from datetime import UTC, datetime
from typing import Annotated, Final, Self

from pydantic import BeforeValidator, Field, model_validator

from visual_review.actions.schema import ActionInput, JsonInteger
from visual_review.api.ci.fields import (
    LARGEST_NUMBER,
    Branch,
    HeadRepository,
    LongText,
    OneLine,
    OtherCommit,
    ProductKey,
    PullRequest,
    Sha256,
    StoryId,
)
from visual_review.recordings.models import PATH_LENGTH, TITLE_LENGTH
from visual_review.recordings.requests import (
    AnnouncedAttachment,
    AnnouncedFile,
    AnnouncedTest,
    Origin,
    RecordingRequest,
    Run,
)
from visual_review.recordings.states import Outcome
from visual_review.repositories.models import DEFAULT_PRODUCT

KEY_LENGTH: Final = 200
FILE_NAME_LENGTH: Final = 300
PROJECT_LENGTH: Final = 200
MAX_STEPS: Final = 2000
MAX_ATTACHMENTS: Final = 50
LARGEST_SIZE: Final = 2**53 - 1
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_FIRST_YEAR: Final = 1970
_LAST_YEAR: Final = 2200


def _clean(text: object, length: int) -> object:
    # Titles come from test code and may contain anything; rejecting a title would lose the video.
    return _UNSEEN.sub(" ", text).strip()[:length] if isinstance(text, str) else text


def _parse_time(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("must be a time such as 2026-03-01T12:00:00Z") from error
    if moment.tzinfo is None or not _FIRST_YEAR < moment.year < _LAST_YEAR:
        raise ValueError("must be a time after 1970 and before 2200, with its offset from UTC")
    return moment.astimezone(UTC)


CleanText = Annotated[str, BeforeValidator(lambda text: _clean(text, TITLE_LENGTH))]
Title = Annotated[CleanText, Field(min_length=1)]
FilePath = Annotated[str, BeforeValidator(lambda text: _clean(text, PATH_LENGTH))]
Project = Annotated[str, BeforeValidator(lambda text: _clean(text, PROJECT_LENGTH))]
Key = Annotated[OneLine, Field(min_length=1, max_length=KEY_LENGTH)]
FileName = Annotated[OneLine, Field(min_length=1, max_length=FILE_NAME_LENGTH)]
ContentType = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,39}$")
]
Milliseconds = Annotated[JsonInteger, Field(ge=0, le=LARGEST_NUMBER)]
Size = Annotated[JsonInteger, Field(ge=0, le=LARGEST_SIZE)]
Retry = Annotated[JsonInteger, Field(ge=0, le=1000)]
Moment = Annotated[datetime, BeforeValidator(_parse_time)]


class TestInput(ActionInput):
    file: FilePath = ""
    suite: CleanText = ""
    title: Title


class StepInput(ActionInput):
    title: CleanText
    start_ms: Milliseconds
    duration_ms: Milliseconds = 0
    story_id: StoryId | None = None


class AttachmentInput(ActionInput):
    name: FileName
    content_type: ContentType = "application/octet-stream"
    size: Size
    sha256: Sha256


class Input(ActionInput):
    key: Key
    product_key: ProductKey = DEFAULT_PRODUCT
    title: Title
    test: TestInput | None = None
    project: Project = ""
    outcome: Outcome | None = None
    retry: Retry = 0
    error: LongText = ""
    steps: Annotated[list[StepInput], Field(max_length=MAX_STEPS)] = Field(default_factory=list)
    test_duration_ms: Milliseconds | None = None
    ran_at: Moment | None = None
    branch: Branch | None = None
    commit: OtherCommit = ""
    head_repository: HeadRepository = ""
    pull_request: PullRequest | None = None
    file_name: FileName
    size: Size
    sha256: Sha256
    attachments: Annotated[list[AttachmentInput], Field(max_length=MAX_ATTACHMENTS)] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [each.name for each in self.attachments]
        if len(set(names)) < len(names):
            raise ValueError("attachments contains a file twice")
        return self

    def to_request(self) -> RecordingRequest:
        test = self.test
        return RecordingRequest(
            key=self.key,
            product_key=self.product_key,
            title=self.title,
            test=AnnouncedTest(test.file, test.suite, test.title) if test else None,
            origin=Origin(self.branch or "", self.commit, self.head_repository, self.pull_request),
            run=self._run(),
            video=AnnouncedFile(self.file_name, self.size, self.sha256),
            attachments=tuple(
                AnnouncedAttachment(each.name, each.size, each.sha256, each.content_type)
                for each in self.attachments
            ),
        )

    def _run(self) -> Run:
        return Run(
            project=self.project,
            outcome=self.outcome or "",
            retry=self.retry,
            error=self.error,
            steps=[each.model_dump(mode="json", by_alias=True) for each in self.steps],
            test_duration_ms=self.test_duration_ms,
            ran_at=self.ran_at,
        )
