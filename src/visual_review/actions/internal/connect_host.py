"""connect_host: an account at a source host, through which repositories are reached."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterAsking, Hints, Outcome
from visual_review.actions.host_access import Accepted, Credentials, accepted
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.hosts.port import Kind
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.host_accounts import (
    CONNECTED_ALREADY,
    account_of,
    account_target,
    connect_account,
    webhook_url,
)
from visual_review.repositories.models import URL_LENGTH

CONNECTED = "host.connected"


class Input(ActionInput):
    kind: Kind
    address: Annotated[str, Field(min_length=1, max_length=URL_LENGTH)]
    credentials: Credentials


class Result(ActionResult):
    """``webhookSecret`` is told this once: the host signs with it what it sends here."""

    id: str
    name: str
    webhook_url: str
    webhook_secret: str


def ask(caller: Caller, values: Input) -> Accepted:
    # Before credentials go anywhere in vain.
    if account_of(caller.organization_id) is not None:
        raise ConflictError(CONNECTED_ALREADY)
    return accepted(values.kind, values.address, values.credentials)


def run(caller: Caller, values: Input, known: Accepted) -> Outcome[Result]:
    account, secret = connect_account(
        caller.organization_id, values.kind, known.address, known.name, values.credentials
    )
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
        # Which fields were given, never what stood in them.
        "credentials": sorted(values.credentials),
    }
    return Outcome(result, (Change(CONNECTED, account_target(account), after=after),))


ACTION = Action(
    name="connect_host",
    title="Connect an account at a source host",
    permission=REPOS_MANAGE,
    description="Connects the organization to an account at a source host, after the host accepted "
    "its credentials. Returns the secret of its webhooks, this once.",
    input=Input,
    result=Result,
    run=AfterAsking(ask, run),
    verbs=(CONNECTED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
