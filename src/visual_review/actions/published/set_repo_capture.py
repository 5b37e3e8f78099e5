"""set_repo_capture: set the captured variants of a product."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.capture_results import (
    ProductCaptureResult,
    ProductKey,
    warn_of_cleared_override,
)
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionInput, ActionResult, never_both
from visual_review.audit.log import Change
from visual_review.repositories.capture_rules import CaptureRequest, CaptureSettings
from visual_review.repositories.capture_settings import (
    axes_as_json,
    matrix_of,
    selected_default,
    settings_of,
    store_product_capture,
)
from visual_review.repositories.queries import locked_product_of, product_target
from visual_review.variants import Device, Theme

VERB = "product.capture_changed"


class Input(ActionInput):
    model_config = ConfigDict(json_schema_extra=never_both("resetToAuto", "themes", "devices"))

    repo_id: RepoId
    product_key: ProductKey = None
    themes: list[Theme] | None = Field(
        default=None,
        min_length=1,
        description="Omitted: automatic. An override of the product is cleared then.",
        examples=[["light", "dark"]],
    )
    devices: list[Device] | None = Field(
        default=None,
        min_length=1,
        description="Omitted: automatic. An override of the product is cleared then.",
        examples=[["phone", "desktop"]],
    )
    reset_to_auto: bool = Field(
        default=False,
        description="Make both automatic; only without them. False if omitted.",
        examples=[False],
    )
    redetect: bool = Field(
        default=False,
        description="Detect again: the next full build captures all six variants. An override is "
        "cleared unless it is sent along. False if omitted.",
        examples=[False],
    )

    @model_validator(mode="after")
    def _without_contradiction(self) -> Self:
        # Here, because input is validated before any id is looked up.
        self.request().check()
        return self

    def request(self) -> CaptureRequest:
        return CaptureRequest(self.themes, self.devices, self.reset_to_auto, self.redetect)


class Result(ActionResult):
    """The product's capture settings after the call."""

    capture: ProductCaptureResult = Field(
        description="What the next builds of the product capture, and why."
    )
    warnings: list[str] = Field(
        description="An override cleared because the call left it out, with the input to set "
        "the override again; usually empty.",
        examples=[[]],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    request = values.request()
    before = store_product_capture(product, request)
    after = settings_of(product)
    where = {"repoId": product.repository_id, "productKey": product.key}
    result = Result(
        capture=ProductCaptureResult.of(product, matrix_of(product, selected_default(product))),
        warnings=warn_of_cleared_override(before, after, request, where),
    )
    if after == before:
        return Outcome(result)
    change = Change(VERB, product_target(product), _audit_entry(before), _audit_entry(after))
    return Outcome(result, (change,))


def _audit_entry(settings: CaptureSettings) -> dict[str, Any]:
    return {**axes_as_json(settings.override), "detectionArmed": settings.detection_armed}


ACTION = Action(
    name="set_repo_capture",
    title="Set a product's capture",
    permission=REPOS_MANAGE,
    description="Sets the themes and devices that a product captures. An axis left out becomes "
    "automatic: the organization's default, else what detection found.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # A setting for future builds; earlier captures stay.
    hints=Hints(destructive=False),
    # With the required property alone, the example would clear the chosen values.
    optional_in_example=("themes", "devices"),
    result_in_example={
        "capture": {
            "themes": ["light", "dark"],
            "devices": ["phone", "desktop"],
            "devicesSource": "override",
            "override": {"themes": ["light", "dark"], "devices": ["phone", "desktop"]},
        }
    },
)
