"""``POST builds/{id}/screenshots``: a chunk of the manifest; returns the uploads to make."""

from typing import Annotated, Self

from django.http import HttpRequest
from pydantic import Field, model_validator

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.api.ci.endpoint import Project, ci_endpoint, load_build
from visual_review.api.ci.fields import (
    LARGEST_NUMBER,
    MAX_CHUNK,
    MAX_NOTES,
    LongText,
    NoteKind,
    NoteText,
    Sha256,
    Shard,
    Side,
    SourceHash,
    StoryId,
    Threshold,
    Title,
    VariantInput,
)
from visual_review.api.json_bodies import MANIFEST_LIMIT, read_object
from visual_review.builds.images.image_memory import image_limits
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.requests import AnnouncedShot, CaptureNote
from visual_review.builds.publishing.uploads import IncomingImage, upload_link
from visual_review.builds.publishing.verification import LARGEST_IMAGE
from visual_review.builds.story_regions import MOST_REGIONS, Rectangle
from visual_review.kernel.blobs import blob_store


class NoteInput(ActionInput):
    kind: NoteKind
    text: NoteText


class RegionInput(ActionInput):
    """A rectangle in pixels of the image."""

    x: Annotated[JsonInteger, Field(ge=0, le=LARGEST_NUMBER)]
    y: Annotated[JsonInteger, Field(ge=0, le=LARGEST_NUMBER)]
    width: Annotated[JsonInteger, Field(ge=1, le=LARGEST_NUMBER)]
    height: Annotated[JsonInteger, Field(ge=1, le=LARGEST_NUMBER)]

    def rectangle(self) -> Rectangle:
        return Rectangle(self.x, self.y, self.width, self.height)


class ScreenshotInput(VariantInput):
    story_id: StoryId
    title: Title = ""
    sha256: Sha256 | None = None
    width: Side | None = None
    height: Side | None = None
    size: Annotated[int, Field(ge=1, le=LARGEST_IMAGE)] | None = Field(
        default=None, description="Bytes of the file; needed to upload it to S3 directly."
    )
    source_hash: SourceHash = ""
    renderer_hash: SourceHash = Field(
        default="", description="Hash of what rendered it, as `sourceHash` is of its sources."
    )
    threshold: Threshold | None = None
    unstable: LongText = Field(
        default="", description="Why the page was still changing when it was captured."
    )
    notes: Annotated[list[NoteInput], Field(max_length=MAX_NOTES)] = Field(
        default_factory=list, description="What the capture found, such as failed requests."
    )
    regions: Annotated[list[RegionInput], Field(max_length=MOST_REGIONS)] = Field(
        default_factory=list, description="Rectangles that the story ignores, in pixels."
    )
    error: Annotated[LongText, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        image = (self.sha256, self.width, self.height, self.size)
        if self.error is not None:
            if any(part is not None for part in image):
                raise ValueError("send either sha256, width and height, or an error")
            return self
        if self.width is None or self.height is None or self.sha256 is None:
            raise ValueError("sha256, width and height are needed unless there is an error")
        # Rejected before the upload, since verification would reject the image anyway.
        most = image_limits().pixels
        if self.width * self.height > most:
            raise ValueError(
                f"the image is {self.width} x {self.height}; at most {most} pixels are accepted"
            )
        self._check_regions(self.width, self.height)
        return self

    def _check_regions(self, width: int, height: int) -> None:
        for number, region in enumerate(self.regions):
            if region.x + region.width > width or region.y + region.height > height:
                raise ValueError(f"region {number} reaches beyond the image ({width} x {height})")

    def announced(self) -> AnnouncedShot:
        return AnnouncedShot(
            story_id=self.story_id,
            title=self.title,
            theme=self.theme,
            device=self.device,
            sha256=self.sha256 or "",
            width=self.width or 0,
            height=self.height or 0,
            source_hash=self.source_hash,
            renderer_hash=self.renderer_hash,
            threshold=self.threshold,
            error=self.error or "",
            unstable=self.unstable,
            notes=tuple(CaptureNote(note.kind, note.text) for note in self.notes),
            regions=tuple(region.rectangle() for region in self.regions),
        )


class Input(ActionInput):
    shard: Shard = 1
    screenshots: Annotated[list[ScreenshotInput], Field(max_length=MAX_CHUNK)]


class Upload(ActionResult):
    sha256: str
    url: str


class Result(ActionResult):
    accepted: int
    uploads: list[Upload]


@ci_endpoint("POST", takes_identities=True)
def announce(request: HttpRequest, project: Project, build_id: str) -> Result:
    repository = project.repository
    # Loaded before the body is read: for a missing build, no other error matters.
    build = load_build(project, build_id)
    values = validate_as(Input, read_object(request, MANIFEST_LIMIT), "the manifest")
    shots = [each.announced() for each in values.screenshots]
    missing = add_screenshots(repository, build.id, values.shard, shots)
    blobs = blob_store()
    organization = repository.organization_id
    sizes = {shot.sha256: shot.size for shot in values.screenshots}
    uploads = [
        Upload(
            sha256=sha256,
            url=upload_link(blobs, IncomingImage(organization, build.id, sha256), sizes[sha256]),
        )
        for sha256 in missing
    ]
    return Result(accepted=len(shots), uploads=uploads)
