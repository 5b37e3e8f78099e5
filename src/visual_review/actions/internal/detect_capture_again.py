"""detect_capture_again: let the next full build detect the variants of a product's stories."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import product_target
from visual_review.repositories.capture_settings import arm_detection
from visual_review.repositories.products import locked_product_of

VERB = "product.capture_changed"


class Input(ActionInput):
    repo_id: str
    product_key: str | None = None


class Result(ActionResult):
    product_key: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    result = Result(product_key=product.key)
    if not arm_detection(product):
        return Outcome(result)
    armed = "detectionArmed"
    change = Change(VERB, product_target(product), {armed: False}, {armed: True})
    return Outcome(result, (change,))


ACTION = Action(
    name="detect_capture_again",
    title="Detect a product's capture again",
    permission=REPOS_MANAGE,
    # set_repo_capture clears an override missing in the input, and a page may show an old override.
    description="Lets the next full build detect what the stories support, and keeps the "
    "product's override.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
