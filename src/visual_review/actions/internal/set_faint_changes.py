"""set_faint_changes: set whether faint changes make a product's screenshots changed."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.comparing.recompare import recompare_after_setting
from visual_review.repositories.audit_targets import product_target
from visual_review.repositories.faint_changes import choose_faint_changes, counts_faint_changes
from visual_review.repositories.products import locked_product_of

VERB = "product.faint_changes_changed"


class Input(ActionInput):
    repo_id: str
    product_key: str | None = None
    count: bool


class Result(ActionResult):
    """``comparedAgain`` is how many undecided builds are affected."""

    repo_id: str
    product_key: str
    count: bool
    compared_again: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    before = counts_faint_changes(product)
    changed = choose_faint_changes(product, count=values.count)
    # The same choice again must not make the worker compare everything again.
    builds = recompare_after_setting(product) if changed else 0
    result = Result(
        repo_id=product.repository_id,
        product_key=product.key,
        count=values.count,
        compared_again=builds,
    )
    if not changed:
        return Outcome(result)
    after = {"count": values.count, "buildsComparedAgain": builds}
    return Outcome(result, (Change(VERB, product_target(product), {"count": before}, after),))


ACTION = Action(
    name="set_faint_changes",
    title="Count faint changes",
    permission=REPOS_MANAGE,
    description="Sets whether changes below the threshold that form a larger area make a "
    "screenshot changed. Undecided builds are compared again.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
