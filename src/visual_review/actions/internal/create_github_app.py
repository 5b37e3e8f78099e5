"""create_github_app: get the credentials of a GitHub App just confirmed by a person."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Hints, Outcome
from visual_review.actions.host_access import translate_host_error
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.hosts.errors import HostError
from visual_review.hosts.factory import require_allowed_url
from visual_review.hosts.github.manifest import CreatedApp, create_app
from visual_review.repositories.models import URL_LENGTH


class Input(ActionInput):
    """``code`` is what GitHub sends back with the person."""

    address: Annotated[str, Field(min_length=1, max_length=URL_LENGTH)]
    code: Annotated[str, Field(min_length=1, max_length=200)]


class Result(ActionResult):
    """The credentials are not stored here; ``url`` is the app's page at GitHub."""

    app_id: str
    private_key: str
    webhook_secret: str
    url: str


def call_host(_caller: Caller, values: Input) -> CreatedApp:
    try:
        return create_app(require_allowed_url(values.address), values.code)
    except HostError as error:
        raise translate_host_error(error, values.address) from error


def run(_caller: Caller, _values: Input, made: CreatedApp) -> Outcome[Result]:
    return Outcome(Result.model_validate(vars(made)))


ACTION = Action(
    name="create_github_app",
    title="Create a GitHub App",
    permission=REPOS_MANAGE,
    description="Returns the credentials of the GitHub App that a person created at GitHub from "
    "this service's manifest; connect_host stores them once the app is installed.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
    hints=Hints(idempotent=False),
    secret_result=True,
)
