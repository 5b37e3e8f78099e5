"""set_repo_host: set the events sent from a repository to its Git provider."""

from dataclasses import asdict

from pydantic.alias_generators import to_camel

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.outbox import drop_comments, notify_waiting_reviews
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.host_settings import DueStatus, HostSettings, store_host_settings
from visual_review.repositories.queries import repository_of

VERB = "repository.host_settings_changed"


class Input(ActionInput):
    repo_id: str
    posts_comments: bool
    comment_pictures: bool
    review_due_status: DueStatus
    allows_skip: bool


class Result(ActionResult):
    id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    wanted = HostSettings(**values.model_dump(exclude={"repo_id"}))
    before = store_host_settings(repository, wanted)
    result = Result(id=repository.id)
    if before == wanted:
        return Outcome(result)
    notify_waiting_reviews(repository)
    if not wanted.posts_comments:
        drop_comments(repository)
    logged = [
        {to_camel(name): value for name, value in asdict(each).items()} for each in (before, wanted)
    ]
    return Outcome(result, (Change(VERB, repository_target(repository), *logged),))


ACTION = Action(
    name="set_repo_host",
    title="Set Git provider notifications",
    permission=REPOS_MANAGE,
    description="Sets whether comments are posted, whether they show images, what the commit "
    "status is while a review is due, and whether builds that capture nothing pass.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(open_world=True),
)
