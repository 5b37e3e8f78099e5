"""set_org_capture: set the matrix of every product without an override."""

from typing import Any

from pydantic import ConfigDict, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.capture_results import OrganizationCaptureResult
from visual_review.actions.schema import ActionInput, ActionResult, both_true, never_both
from visual_review.audit.log import Change, Target
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.capture_rules import CaptureRequest
from visual_review.repositories.capture_settings import CaptureDefault, axes_as_json, store_default
from visual_review.variants import Device, Theme

VERB = "organization.capture_changed"


class Input(ActionInput):
    model_config = ConfigDict(
        json_schema_extra={
            **never_both("resetToAuto", "themes", "devices"),
            "not": both_true("dismissDetectionNotice", "showDetectionNotice"),
        }
    )

    themes: list[Theme] | None = Field(
        default=None,
        min_length=1,
        description="Omitted: unchanged. Themes of products without their own.",
        examples=[["light"]],
    )
    devices: list[Device] | None = Field(
        default=None,
        min_length=1,
        description="Omitted: unchanged. Devices of products without their own.",
        examples=[["phone", "desktop"]],
    )
    reset_to_auto: bool = Field(
        default=False,
        description="Clear both; only without them. False if omitted.",
        examples=[False],
    )
    dismiss_detection_notice: bool = Field(
        default=False,
        description="Hide the notice of what detection found. False if omitted.",
        examples=[False],
    )
    show_detection_notice: bool = Field(
        default=False,
        description="Show it again. False if omitted.",
        examples=[False],
    )


class Result(ActionResult):
    """The organization's capture default after the call."""

    capture: OrganizationCaptureResult = Field(
        description="What products without an override capture."
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    request = CaptureRequest(values.themes, values.devices, values.reset_to_auto)
    before, after = store_default(
        caller.organization_id, request, shows_notice=_requested_notice(values)
    )
    result = Result(capture=OrganizationCaptureResult.of(after))
    if after == before:
        return Outcome(result)
    target = Target("organization", caller.organization_id)
    return Outcome(result, (Change(VERB, target, _audit_entry(before), _audit_entry(after)),))


def _requested_notice(values: Input) -> bool | None:
    if values.dismiss_detection_notice and values.show_detection_notice:
        problem = "cannot be sent together with 'showDetectionNotice'; send one of the two"
        raise InvalidInputError(
            f"'dismissDetectionNotice' {problem}.", [("/dismissDetectionNotice", problem)]
        )
    if values.dismiss_detection_notice:
        return False
    return True if values.show_detection_notice else None


def _audit_entry(default: CaptureDefault) -> dict[str, Any]:
    return {**axes_as_json(default.axes), "showsDetectionNotice": default.shows_notice}


ACTION = Action(
    name="set_org_capture",
    title="Set the capture default",
    permission=REPOS_MANAGE,
    description="Sets the themes and devices of every product without its own. What is left out "
    "stays as it is.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # A setting for future builds; earlier captures stay.
    hints=Hints(destructive=False),
    optional_in_example=("themes",),
)
