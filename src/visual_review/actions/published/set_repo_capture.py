"""set_repo_capture: set which variants a product captures."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.capture_results import ProductCaptureResult
from visual_review.actions.schema import ActionInput, ActionResult, never_both
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import product_target
from visual_review.repositories.capture_rules import CaptureRequest, CaptureSettings, Device, Theme
from visual_review.repositories.capture_settings import (
    axes_as_json,
    matrix_of,
    settings_of,
    store_product_capture,
)
from visual_review.repositories.queries import locked_product_of

VERB = "product.capture_changed"


class Input(ActionInput):
    model_config = ConfigDict(json_schema_extra=never_both("resetToAuto", "themes", "devices"))

    repo_id: str = Field(description="The repository's id, from list_repos.")
    product_key: str | None = Field(default=None, description="Left out: the default product.")
    themes: list[Theme] | None = Field(default=None, min_length=1)
    devices: list[Device] | None = Field(default=None, min_length=1)
    reset_to_auto: bool = Field(
        default=False,
        description="Make both automatic; only without them.",
    )
    redetect: bool = Field(
        default=False,
        description="Detect again: the next full build captures all six variants.",
    )

    @model_validator(mode="after")
    def _without_contradiction(self) -> Self:
        # Here, because input is validated before any id is looked up.
        self.request().check()
        return self

    def request(self) -> CaptureRequest:
        return CaptureRequest(self.themes, self.devices, self.reset_to_auto, self.redetect)


class Result(ActionResult):
    capture: ProductCaptureResult


def run(caller: Caller, values: Input) -> Outcome[Result]:
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    before = store_product_capture(product, values.request())
    after = settings_of(product)
    result = Result(capture=ProductCaptureResult.of(product, matrix_of(product)))
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
    # A setting for future builds; what was captured stays.
    hints=Hints(destructive=False),
    # With the required property alone, it would clear what was chosen.
    optional_in_example=("themes", "devices"),
)
