"""get_images: images of a build's screenshots, as few and as small as are legible."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Final, Literal, Self

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.extended.selection import ChangeSelection, select_changes
from visual_review.actions.identifiers import BuildId, ScreenshotId
from visual_review.actions.schema import INTEGRAL, ActionInput, ActionResult
from visual_review.actions.viewers import viewer_of
from visual_review.builds.images.collecting import (
    MOST_SCREENSHOTS,
    CollectedImages,
    PlanNext,
    collect_images,
)
from visual_review.builds.images.forms import ImageRequest, PartOfImage, plan_form
from visual_review.builds.images.pair_sheets import plan_next_sheet
from visual_review.builds.images.requested_images import (
    Form,
    MissingImage,
    PlannedImage,
    RequestedImage,
    ShownScreenshot,
)
from visual_review.builds.models import Screenshot
from visual_review.builds.queries import build_of
from visual_review.builds.reviewing.evidence import View, record_views
from visual_review.builds.states import Decision
from visual_review.kernel.errors import InvalidInputError

DEFAULT_TOKENS: Final = 8_000
MOST_TOKENS: Final = 25_000
LARGEST_SIDE: Final = 100_000
CURSOR_LENGTH: Final = 9
Offset = Annotated[int, Field(ge=0, le=LARGEST_SIDE), INTEGRAL]
Length = Annotated[int, Field(ge=1, le=LARGEST_SIDE), INTEGRAL]


class ShownResult(ActionResult):
    """A screenshot on an image."""

    number: int | None = Field(description="Number in the build.", examples=[12])
    id: ScreenshotId
    story_id: str = Field(
        description="Story of the screenshot.", examples=["components-button--primary"]
    )
    theme: str = Field(description="Theme of the variant.", examples=["dark"])
    device: str = Field(description="Device of the variant.", examples=["phone"])
    diff_state: str = Field(description="What the comparison found.", examples=["changed"])
    review_decision: Decision | None = Field(
        description="What was decided; null while undecided.", examples=[None]
    )
    note: str = Field(
        description="Which part is shown, and how large.",
        examples=["230x351 at 40,96 of 390x844"],
    )
    scale: float = Field(
        description="Pixels shown per pixel of the screenshot; text is legible from 0.5.",
        examples=[1.0],
    )
    complete: bool = Field(
        description="Whether all changes are shown; on sheets, all moved content as well.",
        examples=[True],
    )

    @classmethod
    def of(cls, shown: ShownScreenshot) -> Self:
        shot = shown.screenshot
        return cls(
            number=shot.number,
            id=shot.id,
            story_id=shot.story_id,
            theme=shot.theme,
            device=shot.device,
            diff_state=shot.diff_state,
            review_decision=decision_of(shot),
            note=shown.note,
            scale=round(shown.scale, 3),
            complete=shown.complete,
        )


class ImageResult(ActionResult):
    """One image."""

    form: Form = Field(description="The form of the image.", examples=["sheet"])
    media_type: str = Field(description="PNG, or JPEG if large.", examples=["image/png"])
    width: int = Field(description="Width of the image in pixels.", examples=[1516])
    height: int = Field(description="Height of the image in pixels.", examples=[773])
    tokens: int = Field(
        description="The image's cost for a model, about: width x height / 750.", examples=[1562]
    )
    screenshots: list[ShownResult] = Field(description="The screenshots on the image.")
    data: str = Field(description="The file in Base64.", examples=["iVBORw0KGgo="])

    @classmethod
    def of(cls, image: RequestedImage) -> Self:
        return cls(
            form=image.form,
            media_type=image.media_type,
            width=image.width,
            height=image.height,
            tokens=image.tokens,
            screenshots=[ShownResult.of(shown) for shown in image.shown],
            data=b64encode(image.data).decode(),
        )


class MissingResult(ActionResult):
    """A screenshot without an image of this form."""

    number: int | None = Field(description="Number in the build.", examples=[13])
    id: ScreenshotId
    reason: str = Field(
        description="Why it has none.", examples=["This screenshot has no image: it failed."]
    )

    @classmethod
    def of(cls, missing: MissingImage) -> Self:
        shot = missing.screenshot
        return cls(number=shot.number, id=shot.id, reason=missing.reason)


def decision_of(shot: Screenshot) -> Decision | None:
    match shot.review_decision:
        case "approved":
            return "approved"
        case "rejected":
            return "rejected"
    return None


class Crop(ActionInput):
    """A part of the images, in their pixels."""

    x: Offset = Field(description="Left edge.", examples=[0])
    y: Offset = Field(description="Upper edge.", examples=[120])
    width: Length = Field(description="Width.", examples=[400])
    height: Length = Field(description="Height.", examples=[300])


class Input(ChangeSelection):
    build_id: BuildId
    form: Form = Field(
        default="sheet",
        description="'sheet': numbered pairs, before and after, cropped to the change, many on an "
        "image. The others show one screenshot an image: 'composite' (before, after and difference "
        "of the change), 'whole' (all of both), 'before', 'after', 'diff'.",
        examples=["sheet"],
    )
    crop: Crop | None = Field(
        default=None,
        description="The part to show, in pixels of the images. Not together with cropToChanges.",
    )
    crop_to_changes: bool = Field(
        default=False,
        description="Whether to show only the part that changed, as composites and sheets do.",
        examples=[True],
    )
    scale: Annotated[float, Field(ge=0.05, le=4)] | None = Field(
        default=None,
        description="Pixels shown per pixel of the screenshot, if it fits.",
        examples=[1],
    )
    outlines: bool = Field(
        default=True,
        description="Whether changes are outlined where they are easily missed, on sheets, and on "
        "composites and 'whole'. The files themselves ('before', 'after') have none.",
        examples=[True],
    )
    max_image_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS), INTEGRAL] = Field(
        default=DEFAULT_TOKENS,
        description="The highest cost of the images, width x height / 750 each. The rest comes "
        "with the next cursor.",
        examples=[DEFAULT_TOKENS],
    )
    cursor: str | None = Field(
        default=None,
        description="The nextCursor of the same call before; without one, the first images.",
        examples=["17"],
    )


class Result(ActionResult):
    """Images, and what is on each."""

    build_id: BuildId
    images: list[ImageResult] = Field(description="The images, in the order of numbers.")
    without_image: list[MissingResult] = Field(
        description="Screenshots without an image of the requested form, for example failed ones."
    )
    image_tokens: int = Field(
        description="What all images cost a model, about: width x height / 750 each.",
        examples=[1562],
    )
    next_cursor: str | None = Field(
        description="For a call with the remaining images; null after the last.", examples=["17"]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    plan_next = _planner(values)
    shots = select_changes(
        build, values, first=_read_cursor(values.cursor), most=MOST_SCREENSHOTS + 1
    )
    for shot in shots:
        # All are of the same build, loaded with its repository.
        shot.build = build
    collected = collect_images(shots, values.form, plan_next, values.max_image_tokens)
    record_views(viewer_of(caller), list(_views(collected)))
    return Outcome(_result(build.id, collected))


def _planner(values: Input) -> PlanNext:
    request = ImageRequest(values.form, _crop_of(values), values.scale, values.outlines)
    return partial(plan_next_sheet if values.form == "sheet" else _plan_one, request)


def _plan_one(request: ImageRequest, shots: Sequence[Screenshot], _tokens: int) -> PlannedImage:
    return plan_form(request, shots[0])


def _crop_of(values: Input) -> PartOfImage | Literal["changes"] | None:
    crop = values.crop
    if crop is None:
        return "changes" if values.crop_to_changes else None
    if values.crop_to_changes:
        raise InvalidInputError("Pass crop or cropToChanges, not both.")
    return PartOfImage(crop.x, crop.y, crop.width, crop.height)


def _read_cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= CURSOR_LENGTH):
        raise InvalidInputError(
            "This is not a cursor of get_images. Pass the nextCursor of the call before, or none."
        )
    return int(cursor)


def _views(collected: CollectedImages) -> Iterator[View]:
    for image in collected.images:
        for shown in image.shown:
            sides = [side for side in shown.sides if side != "diff"]
            yield View(shown.screenshot, image.form, min(1.0, shown.scale), sides, shown.parts)


def _result(build_id: str, collected: CollectedImages) -> Result:
    following = collected.next_number
    return Result(
        build_id=build_id,
        images=[ImageResult.of(image) for image in collected.images],
        without_image=[MissingResult.of(each) for each in collected.missing],
        image_tokens=sum(image.tokens for image in collected.images),
        next_cursor=None if following is None else str(following),
    )


ACTION = Action(
    name="get_images",
    title="Look at changes",
    permission=BUILDS_VIEW,
    description="Shows changes of a build: of screenshots, groups or stories, or without these all. "
    "form 'sheet' (default): numbered pairs of before and after, cropped to the change, many an "
    "image; 'composite': before, after and difference of one; 'whole': all of both sides; or one "
    "side. Look at each change before you decide on it.",
    input=Input,
    result=Result,
    run=run,
    optional_in_example=("groups",),
)
