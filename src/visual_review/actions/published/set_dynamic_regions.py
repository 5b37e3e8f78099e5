"""set_dynamic_regions: set the rectangles of a story variant whose differences are ignored."""

from typing import Annotated

from pydantic import FailFast, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.comparing.recompare import recompare_after_regions
from visual_review.repositories.audit_targets import product_target
from visual_review.repositories.capture_rules import Device, Theme
from visual_review.repositories.names import NAME_LENGTH
from visual_review.repositories.queries import locked_product_of
from visual_review.repositories.regions import Rectangle, replace_regions

VERB = "product.regions_changed"
# Each costs time in every comparison of the variant; a story that needs more should be fixed.
MAX_REGIONS = 200


class Region(ActionInput):
    x: float = Field(ge=0, le=1)
    y: float = Field(ge=0, le=1)
    width: float = Field(ge=0, le=1)
    height: float = Field(ge=0, le=1)


class Input(ActionInput):
    repo_id: str = Field(description="The repository's id, from list_repos.")
    product_key: str | None = Field(default=None, description="Left out: the default product.")
    story_id: str = Field(
        max_length=NAME_LENGTH,
        description="The story's id, as in get_build. No build has to contain it yet.",
    )
    theme: Theme
    device: Device
    # Only the first invalid one is reported: a list of hundreds would not help.
    regions: Annotated[list[Region], FailFast()] = Field(
        max_length=MAX_REGIONS,
        description="Fractions of the image, from its top left. The whole new set: parts outside "
        "the image are clipped, empty ones dropped.",
    )


class StoredRegion(ActionResult):
    x: float
    y: float
    width: float
    height: float


class Result(ActionResult):
    """``regions`` as stored; ``comparedAgain`` is how many undecided builds are affected."""

    repo_id: str
    product_key: str
    story_id: str
    theme: Theme
    device: Device
    regions: list[StoredRegion]
    compared_again: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    variant = (values.story_id, values.theme, values.device)
    replaced = replace_regions(product, variant, map(_rectangle, values.regions))
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
