"""connect_host: connect an account at a Git provider, for access to repositories."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Hints, Outcome
from visual_review.actions.host_access import (
    MAX_SECRET_LENGTH,
    Credentials,
    VerifiedAccount,
    verify_credentials,
)
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.hosts.port import Kind
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.kernel.ids import is_id
from visual_review.repositories.host_accounts import (
    ALREADY_CONNECTED,
    PREFIX,
    account_of,
    account_target,
    connect_account,
    renew_webhook_secret,
    webhook_url,
)
from visual_review.repositories.models import URL_LENGTH

CONNECTED = "host.connected"
NOT_AN_ID = "This is not the id of an account."


class Input(ActionInput):
    kind: Kind
    address: Annotated[str, Field(min_length=1, max_length=URL_LENGTH)]
    credentials: Credentials
    # An app created from a manifest knows both already.
    account_id: str = ""
    webhook_secret: Annotated[str, Field(max_length=MAX_SECRET_LENGTH)] = ""


class Result(ActionResult):
    """``webhookSecret`` is shown only once: the host signs its webhooks with it."""

    id: str
    name: str
    webhook_url: str
    webhook_secret: str


def call_host(caller: Caller, values: Input) -> VerifiedAccount:
    # Checked first, so that credentials are not sent anywhere without need.
    if account_of(caller.organization_id) is not None:
        raise ConflictError(ALREADY_CONNECTED)
    if values.account_id and not is_id(values.account_id, PREFIX):
        raise InvalidInputError(NOT_AN_ID, [("/accountId", NOT_AN_ID)])
    return verify_credentials(values.kind, values.address, values.credentials)


def run(caller: Caller, values: Input, verified: VerifiedAccount) -> Outcome[Result]:
    account = connect_account(
        caller.organization_id,
        values.kind,
        verified.address,
        verified.name,
        values.credentials,
        values.account_id,
    )
    secret = renew_webhook_secret(account, values.webhook_secret)
    result = Result(
        id=account.id,
        name=account.name,
        webhook_url=webhook_url(account),
        webhook_secret=secret,
    )
    after = {
        "kind": account.kind,
        "address": account.address,
        "name": account.name,
        # The names of the fields, never their values.
        "credentials": sorted(values.credentials),
    }
    return Outcome(result, (Change(CONNECTED, account_target(account), after=after),))


ACTION = Action(
    name="connect_host",
    title="Connect an account at a Git provider",
    permission=REPOS_MANAGE,
    description="Connects the organization to an account at a Git provider, once the provider has "
    "accepted its credentials. Returns the webhook secret, which is shown only once.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
    verbs=(CONNECTED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
