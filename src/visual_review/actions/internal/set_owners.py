"""set_owners: who is behind the names in CODEOWNERS, and owners by titles of stories."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.models import CodeOwners
from visual_review.repositories.owners import choose_owners
from visual_review.repositories.queries import repository_of

VERB = "owners.changed"
RULES_LENGTH = 100_000


class Input(ActionInput):
    """``members`` are email addresses by name, for the whole organization."""

    repo_id: str
    title_rules: str = Field(max_length=RULES_LENGTH)
    members: dict[str, list[str]]


class Result(ActionResult):
    repo_id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    rules, _ = CodeOwners.objects.get_or_create(repository=repository)
    changed = choose_owners(caller.organization_id, values.members)
    result = Result(repo_id=repository.pk)
    if rules.title_rules == values.title_rules and not changed:
        return Outcome(result)
    before = {"titleRules": rules.title_rules}
    rules.title_rules = values.title_rules
    rules.save(update_fields=["title_rules"])
    after = {"titleRules": values.title_rules, "members": changed}
    return Outcome(result, (Change(VERB, repository_target(repository), before, after),))


ACTION = Action(
    name="set_owners",
    title="Set owners",
    permission=REPOS_MANAGE,
    description="Sets who is behind the names in CODEOWNERS, and owners by titles of stories.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
