"""Images of screenshots as JSON."""

from base64 import b64encode
from typing import Self

from pydantic import Field

from visual_review.actions.identifiers import ScreenshotId
from visual_review.actions.schema import ActionResult
from visual_review.builds.images.requested_images import (
    Form,
    MissingImage,
    RequestedImage,
    ShownScreenshot,
)
from visual_review.builds.models import Screenshot
from visual_review.builds.states import Decision


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
