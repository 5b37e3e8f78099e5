"""Apps that act for a person."""

from typing import Literal

from visual_review.accounts.callers import Caller
from visual_review.accounts.oauth.clients import client_of, stored_client
from visual_review.accounts.oauth.grants import app_target, connect, disconnect
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.kernel.errors import NotFoundError

CONNECTED = "app.connected"
REFUSED = "app.refused"
DISCONNECTED = "app.disconnected"

Scope = Literal["read", "read write"]


class ConnectAppInput(ActionInput):
    client_id: str
    asked: Scope
    granted: Scope


class ConnectAppResult(ActionResult):
    id: str


def _connect_app(caller: Caller, values: ConnectAppInput) -> Outcome[ConnectAppResult]:
    """Let an app act for a person, or change what a connected app may do."""
    application = stored_client(values.client_id)
    if application is None:
        raise NotFoundError("There is no client with this id.")
    grant, before = connect(caller, application, values.asked, values.granted)
    after = {"clientId": client_of(application).client_id, "scope": grant.scope}
    # A second consent is logged too, because the consent gives the app more tokens.
    former = None if before is None else {"scope": before}
    change = Change(CONNECTED, app_target(grant), before=former, after=after)
    return Outcome(ConnectAppResult(id=grant.id), (change,))


class RefuseAppInput(ActionInput):
    client_id: str
    asked: str


def _refuse_app(_caller: Caller, values: RefuseAppInput) -> Outcome[ActionResult]:
    """Record that a person denied an app access; only the audit log does."""
    application = stored_client(values.client_id)
    if application is None:
        raise NotFoundError("There is no client with this id.")
    client = client_of(application)
    target = Target("client", client.client_id, client.name)
    change = Change(REFUSED, target, after={"asked": values.asked})
    return Outcome(ActionResult(), (change,))


class DisconnectAppInput(ActionInput):
    grant_id: str


class DisconnectAppResult(ActionResult):
    name: str


def _disconnect_app(caller: Caller, values: DisconnectAppInput) -> Outcome[DisconnectAppResult]:
    """Disconnect an app, effective immediately."""
    grant = disconnect(caller, values.grant_id)
    client = client_of(grant.application)
    before = {"clientId": client.client_id, "scope": grant.scope, "userId": grant.user_id}
    change = Change(DISCONNECTED, app_target(grant), before=before)
    return Outcome(DisconnectAppResult(name=client.name), (change,))


ACTIONS = (
    Operation(
        name="connect_app",
        # Everyone may: an app never exceeds the role of the person who authorized it.
        permission=KEYS_OWN,
        input=ConnectAppInput,
        run=_connect_app,
        verbs=(CONNECTED,),
    ),
    Operation(
        name="refuse_app",
        permission=KEYS_OWN,
        input=RefuseAppInput,
        run=_refuse_app,
        verbs=(REFUSED,),
    ),
    Operation(
        name="disconnect_app",
        # The look-up of apps decides which apps a caller may disconnect.
        permission=KEYS_OWN,
        input=DisconnectAppInput,
        run=_disconnect_app,
        verbs=(DISCONNECTED,),
    ),
)
