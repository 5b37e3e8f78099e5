"""set_dynamic_regions: set the rectangles of a story variant whose differences are ignored."""

from typing import Annotated

from pydantic import FailFast, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.capture_results import (
    ProductKey,
    is_captured,
    warn_of_altered_regions,
    warn_of_uncaptured,
    warn_of_unseen_story,
)
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.comparing.recompare import recompare_after_regions
from visual_review.builds.comparing.seen_stories import is_story_seen, near_stories
from visual_review.repositories.capture_settings import matrix_of, selected_default
from visual_review.repositories.models import Product
from visual_review.repositories.names import NAME_LENGTH
from visual_review.repositories.queries import locked_product_of, product_target, products_of
from visual_review.repositories.regions import Rectangle, RegionChange, has_area, replace_regions
from visual_review.variants import Device, Theme

VERB = "product.regions_changed"
# Each costs time in every comparison of the variant; a story in need of more should be fixed.
MAX_REGIONS = 200


# Both for inputs and results.
LEFT = "The left edge, as a fraction of the image's width."
TOP = "The top edge, as a fraction of the image's height."
WIDTH = "The width, as a fraction of the image's."
HEIGHT = "The height, as a fraction of the image's."


class Region(ActionInput):
    """A dynamic region, in fractions of the image from its top left corner."""

    x: float = Field(ge=0, le=1, description=LEFT, examples=[0.1])
    y: float = Field(ge=0, le=1, description=TOP, examples=[0])
    width: float = Field(ge=0, le=1, description=WIDTH, examples=[0.25])
    height: float = Field(ge=0, le=1, description=HEIGHT, examples=[0.05])


class Input(ActionInput):
    repo_id: RepoId
    product_key: ProductKey = None
    story_id: str = Field(
        max_length=NAME_LENGTH,
        description="The story's id, as in get_build. One that no build has is accepted with a warning.",
        examples=["button--primary"],
    )
    theme: Theme = Field(description="The variant's theme.", examples=["light"])
    device: Device = Field(description="The variant's device.", examples=["desktop"])
    # Only the first invalid one is reported: a list of hundreds would not help.
    regions: Annotated[list[Region], FailFast()] = Field(
        max_length=MAX_REGIONS,
        description="Fractions of the image, from its top left. The whole new set: parts outside "
        "the image are clipped, empty ones dropped.",
        examples=[[{"x": 0.1, "y": 0, "width": 0.25, "height": 0.05}]],
    )


class StoredRegion(ActionResult):
    """A stored dynamic region, in fractions of the image from its top left corner."""

    x: float = Field(description=LEFT, examples=[0.1])
    y: float = Field(description=TOP, examples=[0])
    width: float = Field(description=WIDTH, examples=[0.25])
    height: float = Field(description=HEIGHT, examples=[0.05])


class Result(ActionResult):
    """The regions of one story variant, as stored."""

    repo_id: RepoId
    product_key: str = Field(description="The product that has the regions.", examples=["default"])
    story_id: str = Field(description="The story's id.", examples=["button--primary"])
    theme: Theme = Field(description="The variant's theme.", examples=["light"])
    device: Device = Field(description="The variant's device.", examples=["desktop"])
    regions: list[StoredRegion] = Field(
        description="The whole set, clipped to the image, without empty and repeated ones.",
        examples=[[{"x": 0.1, "y": 0, "width": 0.25, "height": 0.05}]],
    )
    compared_again: int = Field(
        description="How many undecided builds are compared again.", examples=[1]
    )
    warnings: list[str] = Field(
        description="Clipped or omitted regions, a story in no build, with near spellings, "
        "and a variant that the next builds do not capture; usually empty.",
        examples=[[]],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    rectangles = [_rectangle(region) for region in values.regions]
    # Before the product is locked: others must not wait for the search of near spellings.
    unseen = _warn_of_story(caller, values) if has_area(rectangles) else []
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    variant = (values.story_id, values.theme, values.device)
    replaced = replace_regions(product, variant, rectangles, caller.name)
    # Setting the same regions again must not make the worker compare everything again.
    count = recompare_after_regions(product, *variant) if replaced.changed else 0
    result = Result(
        repo_id=product.repository_id,
        product_key=product.key,
        story_id=values.story_id,
        theme=values.theme,
        device=values.device,
        regions=[StoredRegion.model_validate(region) for region in replaced.after],
        compared_again=count,
        warnings=[
            *warn_of_altered_regions(rectangles),
            *unseen,
            *_warn_of_variant(product, values, replaced),
        ],
    )
    if not replaced.changed:
        return Outcome(result)
    target = {"storyId": values.story_id, "theme": values.theme, "device": values.device}
    return Outcome(
        result,
        (
            Change(
                VERB,
                product_target(product),
                before={**target, "regions": replaced.before},
                after={**target, "regions": replaced.after, "buildsComparedAgain": count},
            ),
        ),
    )


def _warn_of_story(caller: Caller, values: Input) -> list[str]:
    products = products_of(caller.organization_id, values.repo_id, values.product_key)
    if is_story_seen(products, values.story_id):
        return []
    return [warn_of_unseen_story(values.story_id, near_stories(products, values.story_id))]


def _warn_of_variant(product: Product, values: Input, replaced: RegionChange) -> list[str]:
    # Clearing the remaining regions of an uncaptured variant needs no warning.
    if not replaced.after:
        return []
    matrix = matrix_of(product, selected_default(product))
    if is_captured(values.theme, values.device, matrix, armed=product.detection_armed):
        return []
    return [warn_of_uncaptured(values.theme, values.device, matrix)]


def _rectangle(region: Region) -> Rectangle:
    return Rectangle(region.x, region.y, region.width, region.height)


ACTION = Action(
    name="set_dynamic_regions",
    title="Set dynamic regions",
    permission=BUILDS_REVIEW,
    description="Replaces the rectangles of one story variant in which differences are ignored; "
    "[] clears them. Undecided builds are compared again.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # The old rectangles are lost, and differences inside the new ones are ignored.
    hints=Hints(destructive=True),
)
