"""Settings of a repository and its products."""

from dataclasses import asdict
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.comparing.recompare import recompare_after_setting
from visual_review.builds.notifying.outbox import drop_comments, notify_waiting_reviews
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.boolean_settings import BOOLEAN_SETTINGS, BooleanSetting
from visual_review.repositories.capture_settings import arm_detection
from visual_review.repositories.code_owners import choose_owners
from visual_review.repositories.connect import rename_repository
from visual_review.repositories.host_accounts import DueStatus, HostSettings, store_host_settings
from visual_review.repositories.identities import remove_pin, set_issuer
from visual_review.repositories.models import URL_LENGTH, CodeOwners, Product, Repository
from visual_review.repositories.queries import (
    locked_product_of,
    product_target,
    repository_of,
    repository_target,
)

REPOSITORY_CHANGED = "repository.changed"
CAPTURE_CHANGED = "product.capture_changed"
OWNERS_CHANGED = "owners.changed"
HOST_SETTINGS_CHANGED = "repository.host_settings_changed"
IDENTITY_CHANGED = "repository.identity_changed"
IDENTITY_UNPINNED = "repository.identity_unpinned"
RULES_LENGTH = 100_000


class RenameRepoInput(ActionInput):
    repo_id: str
    full_name: str
    default_branch: str


def _rename_repo(caller: Caller, values: RenameRepoInput) -> Outcome[ActionResult]:
    """Set the name and the default branch of a repository."""
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = _names(repository)
    rename_repository(repository, values.full_name, values.default_branch)
    after = _names(repository)
    if before == after:
        return Outcome(ActionResult())
    change = Change(REPOSITORY_CHANGED, repository_target(repository), before, after)
    return Outcome(ActionResult(), (change,))


def _names(repository: Repository) -> dict[str, str]:
    return {"fullName": repository.full_name, "defaultBranch": repository.default_branch}


class ChangeBooleanSettingInput(ActionInput):
    """``productKey`` is for a setting of products; by default the default product."""

    repo_id: str
    product_key: str | None = None
    setting: str
    enabled: bool


class ChangeBooleanSettingResult(ActionResult):
    """``comparedAgain`` is how many undecided builds are affected."""

    enabled: bool
    compared_again: int


def _change_boolean_setting(
    caller: Caller, values: ChangeBooleanSettingInput
) -> Outcome[ChangeBooleanSettingResult]:
    """Turn a setting of a product or a repository on or off.

    If the setting decides what counts as a change, undecided builds are compared again.
    """
    setting = BOOLEAN_SETTINGS.get(values.setting)
    if setting is None:
        problem = f"must be one of {', '.join(BOOLEAN_SETTINGS)}"
        raise InvalidInputError(f"'setting' {problem}.", [("/setting", problem)])
    owner = _lock_owner(caller, values, setting)
    if not setting.choose(owner, enabled=values.enabled):
        # The same choice again must not make the worker compare everything again.
        return Outcome(ChangeBooleanSettingResult(enabled=values.enabled, compared_again=0))
    key = to_camel(setting.field)
    after: dict[str, object] = {key: values.enabled}
    again = 0
    if setting.compares_again and isinstance(owner, Product):
        again = after["buildsComparedAgain"] = recompare_after_setting(owner)
    target = product_target(owner) if isinstance(owner, Product) else repository_target(owner)
    change = Change(setting.verb, target, {key: not values.enabled}, after)
    return Outcome(
        ChangeBooleanSettingResult(enabled=values.enabled, compared_again=again), (change,)
    )


def _lock_owner(
    caller: Caller, values: ChangeBooleanSettingInput, setting: BooleanSetting
) -> Product | Repository:
    if setting.model is Product:
        return locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    repository = repository_of(caller.organization_id, values.repo_id)
    # A weaker lock: builds refer to the row, and creating a build must not wait for this lock.
    return Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)


class DetectCaptureAgainInput(ActionInput):
    repo_id: str
    product_key: str | None = None


def _detect_capture_again(caller: Caller, values: DetectCaptureAgainInput) -> Outcome[ActionResult]:
    """Let the next full build detect the variants of a product's stories, and keep the override.

    set_repo_capture clears an override missing in the input, and a page may show an old override.
    """
    product = locked_product_of(caller.organization_id, values.repo_id, values.product_key)
    if not arm_detection(product):
        return Outcome(ActionResult())
    armed = "detectionArmed"
    change = Change(CAPTURE_CHANGED, product_target(product), {armed: False}, {armed: True})
    return Outcome(ActionResult(), (change,))


class SetOwnersInput(ActionInput):
    """``members`` are email addresses by name, for the whole organization."""

    repo_id: str
    title_rules: str = Field(max_length=RULES_LENGTH)
    members: dict[str, list[str]]


def _set_owners(caller: Caller, values: SetOwnersInput) -> Outcome[ActionResult]:
    """Set who is behind the names in CODEOWNERS, and owners by titles of stories."""
    repository = repository_of(caller.organization_id, values.repo_id)
    rules, _ = CodeOwners.objects.get_or_create(repository=repository)
    changed = choose_owners(caller.organization_id, values.members)
    if rules.title_rules == values.title_rules and not changed:
        return Outcome(ActionResult())
    before = {"titleRules": rules.title_rules}
    rules.title_rules = values.title_rules
    rules.save(update_fields=["title_rules"])
    after = {"titleRules": values.title_rules, "members": changed}
    change = Change(OWNERS_CHANGED, repository_target(repository), before, after)
    return Outcome(ActionResult(), (change,))


class SetRepoHostInput(ActionInput):
    repo_id: str
    posts_comments: bool
    comment_pictures: bool
    review_due_status: DueStatus
    allows_skip: bool


def _set_repo_host(caller: Caller, values: SetRepoHostInput) -> Outcome[ActionResult]:
    """Set the events sent from a repository to its Git provider."""
    repository = repository_of(caller.organization_id, values.repo_id)
    wanted = HostSettings(**values.model_dump(exclude={"repo_id"}))
    before = store_host_settings(repository, wanted)
    if before == wanted:
        return Outcome(ActionResult())
    notify_waiting_reviews(repository)
    if not wanted.posts_comments:
        drop_comments(repository)
    logged = [
        {to_camel(name): value for name, value in asdict(each).items()} for each in (before, wanted)
    ]
    change = Change(HOST_SETTINGS_CHANGED, repository_target(repository), *logged)
    return Outcome(ActionResult(), (change,))


class SetRepoIdentityInput(ActionInput):
    repo_id: str
    issuer: Annotated[str, Field(max_length=URL_LENGTH)]


class SetRepoIdentityResult(ActionResult):
    repo_id: str
    issuer: str


def _set_repo_identity(
    caller: Caller, values: SetRepoIdentityInput
) -> Outcome[SetRepoIdentityResult]:
    """Set the issuer of a repository's accepted CI identity tokens."""
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    pin = repository.identity_pin
    before = set_issuer(repository, values.issuer)
    result = SetRepoIdentityResult(repo_id=repository.id, issuer=repository.identity_issuer)
    if before == repository.identity_issuer:
        return Outcome(result)
    former = {"issuer": before, **({"hostId": pin} if pin else {})}
    change = Change(
        IDENTITY_CHANGED, repository_target(repository), former, {"issuer": values.issuer}
    )
    return Outcome(result, (change,))


class UnpinRepoIdentityInput(ActionInput):
    repo_id: str


def _unpin_repo_identity(caller: Caller, values: UnpinRepoIdentityInput) -> Outcome[ActionResult]:
    """Accept another repository of the same name at the Git provider."""
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    former = remove_pin(repository)
    change = Change(IDENTITY_UNPINNED, repository_target(repository), before={"hostId": former})
    return Outcome(ActionResult(), (change,))


ACTIONS = (
    Operation(
        name="rename_repo",
        permission=REPOS_MANAGE,
        input=RenameRepoInput,
        run=_rename_repo,
        verbs=(REPOSITORY_CHANGED,),
    ),
    Operation(
        name="change_boolean_setting",
        permission=REPOS_MANAGE,
        input=ChangeBooleanSettingInput,
        run=_change_boolean_setting,
        verbs=tuple(setting.verb for setting in BOOLEAN_SETTINGS.values()),
    ),
    Operation(
        name="detect_capture_again",
        permission=REPOS_MANAGE,
        input=DetectCaptureAgainInput,
        run=_detect_capture_again,
        verbs=(CAPTURE_CHANGED,),
    ),
    Operation(
        name="set_owners",
        permission=REPOS_MANAGE,
        input=SetOwnersInput,
        run=_set_owners,
        verbs=(OWNERS_CHANGED,),
    ),
    Operation(
        name="set_repo_host",
        permission=REPOS_MANAGE,
        input=SetRepoHostInput,
        run=_set_repo_host,
        verbs=(HOST_SETTINGS_CHANGED,),
    ),
    Operation(
        name="set_repo_identity",
        permission=REPOS_MANAGE,
        input=SetRepoIdentityInput,
        run=_set_repo_identity,
        verbs=(IDENTITY_CHANGED,),
    ),
    Operation(
        name="unpin_repo_identity",
        permission=REPOS_MANAGE,
        input=UnpinRepoIdentityInput,
        run=_unpin_repo_identity,
        verbs=(IDENTITY_UNPINNED,),
    ),
)
