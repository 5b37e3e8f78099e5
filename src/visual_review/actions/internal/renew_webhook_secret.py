"""renew_webhook_secret: create a new secret for the host's webhooks, shown only once."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories import host_accounts

RENEWED = "host.webhook_secret_renewed"


class Input(ActionInput):
    pass


class Result(ActionResult):
    webhook_url: str
    webhook_secret: str


def run(caller: Caller, _values: Input) -> Outcome[Result]:
    account = host_accounts.connected_account(caller.organization_id)
    account = host_accounts.lock_unchanged_account(account)
    result = Result(
        webhook_url=host_accounts.webhook_url(account),
        webhook_secret=host_accounts.renew_webhook_secret(account),
    )
    return Outcome(result, (Change(RENEWED, host_accounts.account_target(account)),))


ACTION = Action(
    name="renew_webhook_secret",
    title="Renew the webhook secret",
    permission=REPOS_MANAGE,
    description="Creates a new secret for the Git provider's webhooks and returns it once; "
    "deliveries signed with the old secret are rejected from then on.",
    input=Input,
    result=Result,
    run=run,
    verbs=(RENEWED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
