"""set_mail: set which mails a member gets, and whether as a daily digest."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import User
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.messages.event_types import MAIL_TYPES
from visual_review.messages.mailboxes import mailbox_of

VERB = "mail.changed"


class Input(ActionInput):
    """``types`` are of ``MAIL_TYPES``; without any, no mail is sent."""

    types: list[str]
    is_digest: bool


class Result(ActionResult):
    """``types`` are those that are mailed from now on."""

    types: list[str]


def run(caller: Caller, values: Input) -> Outcome[Result]:
    user = User.objects.get(pk=caller.id)
    box = mailbox_of(caller.organization_id, user)
    before = {"types": box.types, "digest": box.is_digest}
    box.types = [each for each in MAIL_TYPES if each in values.types]
    box.is_digest = values.is_digest
    box.save(update_fields=["types", "is_digest"])
    after = {"types": box.types, "digest": box.is_digest}
    changes = (Change(VERB, Target("user", user.pk, str(user)), before, after),)
    return Outcome(Result(types=box.types), changes if before != after else ())


ACTION = Action(
    name="set_mail",
    title="Choose what to get mail about",
    permission=BUILDS_VIEW,
    description="Chooses the kinds of mail to the caller, and whether they are a daily digest.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
