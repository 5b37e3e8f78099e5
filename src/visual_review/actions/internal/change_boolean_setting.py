"""change_boolean_setting: turn a setting of a product or a repository on or off."""

from pydantic.alias_generators import to_camel

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.comparing.recompare import recompare_after_setting
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.audit_targets import product_target, repository_target
from visual_review.repositories.boolean_settings import BOOLEAN_SETTINGS, BooleanSetting
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.products import locked_product_of
from visual_review.repositories.queries import repository_of


class Input(ActionInput):
    """``productKey`` is for a setting of products; by default the default product."""

    repo_id: str
    product_key: str | None = None
    setting: str
    enabled: bool


class Result(ActionResult):
    """``comparedAgain`` is how many undecided builds are affected."""

    enabled: bool
    compared_again: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    setting = BOOLEAN_SETTINGS.get(values.setting)
    if setting is None:
        problem = f"must be one of {', '.join(BOOLEAN_SETTINGS)}"
        raise InvalidInputError(f"'setting' {problem}.", [("/setting", problem)])
    owner = _lock_owner(caller, values, setting)
    if not setting.choose(owner, enabled=values.enabled):
        # The same choice again must not make the worker compare everything again.
        return Outcome(Result(enabled=values.enabled, compared_again=0))
    key = to_camel(setting.field)
    after: dict[str, object] = {key: values.enabled}
    again = 0
    if setting.compares_again and isinstance(owner, Product):
        again = after["buildsComparedAgain"] = recompare_after_setting(owner)
    target = product_target(owner) if isinstance(owner, Product) else repository_target(owner)
    change = Change(setting.verb, target, {key: not values.enabled}, after)
    return Outcome(Result(enabled=values.enabled, compared_again=again), (change,))


def _lock_owner(caller: Caller, values: Input, setting: BooleanSetting) -> Product | Repository:
    if setting.model is Product:
        return locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    repository = repository_of(caller.organization_id, values.repo_id)
    # A weaker lock: builds refer to the row, and creating a build must not wait for this lock.
    return Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)


ACTION = Action(
    name="change_boolean_setting",
    title="Change a setting",
    permission=REPOS_MANAGE,
    description="Turns a setting of a product or a repository on or off. If the setting decides "
    "what counts as a change, undecided builds are compared again.",
    input=Input,
    result=Result,
    run=run,
    verbs=tuple(setting.verb for setting in BOOLEAN_SETTINGS.values()),
)
