"""The organization's account at a Git provider."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import members_of
from visual_review.accounts.permissions import MEMBERS_MANAGE, REPOS_MANAGE
from visual_review.actions.action import AfterNetwork, Operation, Outcome
from visual_review.actions.host_access import (
    MAX_SECRET_LENGTH,
    Credentials,
    VerifiedAccount,
    open_account_host,
    translate_host_error,
    verify_credentials,
)
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.outbox import send_failed_again
from visual_review.hosts.errors import HostError
from visual_review.hosts.factory import require_allowed_url
from visual_review.hosts.github.manifest import CreatedApp, create_app
from visual_review.hosts.port import HostGroup, HostPerson, Kind
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.repositories.host_accounts import (
    ALREADY_CONNECTED,
    PREFIX,
    account_of,
    account_target,
    change_credentials,
    connect_account,
    connected_account,
    disconnect_account,
    lock_unchanged_account,
    record_problem,
    record_success,
    renew_webhook_secret,
    webhook_url,
)
from visual_review.repositories.models import URL_LENGTH, HostAccount

CONNECTED = "host.connected"
NOT_AN_ID = "This is not the id of an account."
CREDENTIALS_CHANGED = "host.credentials_changed"
CHECKED = "host.checked"
WEBHOOK_RENEWED = "host.webhook_secret_renewed"
DISCONNECTED = "host.disconnected"
UNKNOWN_GROUP: Final = "There is no such group at the Git provider, or the account may not see it."


class CreateGithubAppInput(ActionInput):
    """``code`` is what GitHub sends back with the person."""

    address: Annotated[str, Field(min_length=1, max_length=URL_LENGTH)]
    code: Annotated[str, Field(min_length=1, max_length=200)]


class CreateGithubAppResult(ActionResult):
    """The credentials are not stored here; ``url`` is the app's page at GitHub."""

    app_id: str
    private_key: str
    webhook_secret: str
    url: str


def _call_create_github_app(_caller: Caller, values: CreateGithubAppInput) -> CreatedApp:
    try:
        return create_app(require_allowed_url(values.address), values.code)
    except HostError as error:
        raise translate_host_error(error, values.address) from error


def _create_github_app(
    _caller: Caller, _values: CreateGithubAppInput, made: CreatedApp
) -> Outcome[CreateGithubAppResult]:
    """Get the credentials of a GitHub App just confirmed by a person."""
    return Outcome(CreateGithubAppResult.model_validate(vars(made)))


class ConnectHostInput(ActionInput):
    kind: Kind
    address: Annotated[str, Field(min_length=1, max_length=URL_LENGTH)]
    credentials: Credentials
    # An app created from a manifest knows both already.
    account_id: str = ""
    webhook_secret: Annotated[str, Field(max_length=MAX_SECRET_LENGTH)] = ""


class ConnectHostResult(ActionResult):
    """``webhookSecret`` is shown only once: the host signs its webhooks with it."""

    id: str
    name: str
    webhook_url: str
    webhook_secret: str


def _call_connect_host(caller: Caller, values: ConnectHostInput) -> VerifiedAccount:
    # Checked first, so that credentials are not sent anywhere without need.
    if account_of(caller.organization_id) is not None:
        raise ConflictError(ALREADY_CONNECTED)
    if values.account_id and not is_id(values.account_id, PREFIX):
        raise InvalidInputError(NOT_AN_ID, [("/accountId", NOT_AN_ID)])
    return verify_credentials(values.kind, values.address, values.credentials)


def _connect_host(
    caller: Caller, values: ConnectHostInput, verified: VerifiedAccount
) -> Outcome[ConnectHostResult]:
    """Connect an account at a Git provider, for access to repositories."""
    account = connect_account(
        caller.organization_id,
        values.kind,
        verified.address,
        verified.name,
        values.credentials,
        values.account_id,
    )
    secret = renew_webhook_secret(account, values.webhook_secret)
    result = ConnectHostResult(
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


class ChangeHostCredentialsInput(ActionInput):
    credentials: Credentials


def _call_change_host_credentials(
    caller: Caller, values: ChangeHostCredentialsInput
) -> tuple[HostAccount, VerifiedAccount]:
    account = connected_account(caller.organization_id)
    return account, verify_credentials(account.kind, account.address, values.credentials)


def _change_host_credentials(
    _caller: Caller,
    values: ChangeHostCredentialsInput,
    response: tuple[HostAccount, VerifiedAccount],
) -> Outcome[ActionResult]:
    """Store new credentials for the connected account, at the same host."""
    former, verified = response
    account = lock_unchanged_account(former)
    before = {"name": account.name}
    change_credentials(account, verified.name, values.credentials)
    send_failed_again(account)
    after = {"name": account.name, "credentials": sorted(values.credentials)}
    change = Change(CREDENTIALS_CHANGED, account_target(account), before, after)
    return Outcome(ActionResult(), (change,))


class CheckHostResult(ActionResult):
    """``problem`` is empty while the account works."""

    name: str
    problem: str


@dataclass(frozen=True)
class CheckResult:
    account: HostAccount
    name: str
    problem: str


def _call_check_host(caller: Caller, _values: ActionInput) -> CheckResult:
    account = connected_account(caller.organization_id)
    try:
        with open_account_host(account) as host:
            return CheckResult(account, host.get_identity().name, "")
    # Only problems to be fixed by a person are stored; a host's outage says nothing about the
    # account.
    except ConflictError as error:
        return CheckResult(account, account.name, str(error))


def _check_host(
    _caller: Caller, _values: ActionInput, checked: CheckResult
) -> Outcome[CheckHostResult]:
    """Check whether the connected account at the Git provider still works."""
    account = lock_unchanged_account(checked.account)
    before = {"name": account.name, "problem": account.problem}
    if checked.problem:
        record_problem(account, checked.problem)
    else:
        record_success(account, checked.name)
        send_failed_again(account)
    after = {"name": account.name, "problem": account.problem}
    change = Change(CHECKED, account_target(account), before, after)
    return Outcome(CheckHostResult(name=account.name, problem=account.problem), (change,))


class RenewWebhookSecretResult(ActionResult):
    webhook_url: str
    webhook_secret: str


def _renew_webhook_secret(
    caller: Caller, _values: ActionInput
) -> Outcome[RenewWebhookSecretResult]:
    """Create a new secret for the host's webhooks, shown only once."""
    account = connected_account(caller.organization_id)
    account = lock_unchanged_account(account)
    result = RenewWebhookSecretResult(
        webhook_url=webhook_url(account),
        webhook_secret=renew_webhook_secret(account),
    )
    return Outcome(result, (Change(WEBHOOK_RENEWED, account_target(account)),))


class DisconnectHostResult(ActionResult):
    name: str
    address: str


def _disconnect_host(caller: Caller, _values: ActionInput) -> Outcome[DisconnectHostResult]:
    """Delete the account at the Git provider, with the account's secrets.

    Repositories and builds stay; the provider is not notified any more, and CI identity tokens
    are no longer accepted.
    """
    account = lock_unchanged_account(connected_account(caller.organization_id))
    before = {"kind": account.kind, "address": account.address, "name": account.name}
    change = Change(DISCONNECTED, account_target(account), before=before)
    result = DisconnectHostResult(name=account.name, address=account.address)
    disconnect_account(account)
    return Outcome(result, (change,))


# A page offers all groups as choices.
MOST_GROUPS: Final = 500


class ListHostPeopleInput(ActionInput):
    """Without ``groupId``, the first group is shown."""

    group_id: str = ""
    page: Annotated[int, Field(ge=1, le=1000)] = 1


class HostPeopleGroup(ActionResult):
    id: str
    name: str


class ListedPerson(ActionResult):
    """``email`` and ``avatar`` are empty where the Git provider shows none."""

    login: str
    name: str
    email: str
    avatar: str
    is_member: bool


class ListHostPeopleResult(ActionResult):
    group_id: str
    groups: list[HostPeopleGroup]
    people: list[ListedPerson]
    more: bool


HostPeople = tuple[str, list[HostGroup], list[HostPerson], bool]


def _call_list_host_people(caller: Caller, values: ListHostPeopleInput) -> HostPeople:
    with open_account_host(connected_account(caller.organization_id)) as host:
        groups = list(islice(host.list_groups(), MOST_GROUPS))
        if not groups:
            return "", [], [], False
        # Only ids named by the provider become part of a request's path.
        group_id = values.group_id or groups[0].id
        if group_id not in {group.id for group in groups}:
            raise NotFoundError(UNKNOWN_GROUP)
        people, more = host.list_members(group_id, values.page)
    return group_id, groups, people, more


def _list_host_people(
    caller: Caller, _values: ListHostPeopleInput, found: HostPeople
) -> Outcome[ListHostPeopleResult]:
    """List the people of a group at the connected Git provider, to invite them."""
    group_id, groups, people, more = found
    members = members_of(caller.organization_id).filter(
        user__email__in=[person.email.lower() for person in people]
    )
    emails = set(members.values_list("user__email", flat=True))
    result = ListHostPeopleResult(
        group_id=group_id,
        groups=[HostPeopleGroup(id=group.id, name=group.name) for group in groups],
        people=[
            ListedPerson(
                login=person.login,
                name=person.name,
                email=person.email,
                avatar=person.avatar,
                is_member=person.email.lower() in emails,
            )
            for person in people
        ],
        more=more,
    )
    return Outcome(result)


ACTIONS = (
    Operation(
        name="create_github_app",
        permission=REPOS_MANAGE,
        input=CreateGithubAppInput,
        run=AfterNetwork(_call_create_github_app, _create_github_app),
    ),
    Operation(
        name="connect_host",
        permission=REPOS_MANAGE,
        input=ConnectHostInput,
        run=AfterNetwork(_call_connect_host, _connect_host),
        verbs=(CONNECTED,),
    ),
    Operation(
        name="change_host_credentials",
        permission=REPOS_MANAGE,
        input=ChangeHostCredentialsInput,
        run=AfterNetwork(_call_change_host_credentials, _change_host_credentials),
        verbs=(CREDENTIALS_CHANGED,),
    ),
    Operation(
        name="check_host",
        permission=REPOS_MANAGE,
        input=ActionInput,
        run=AfterNetwork(_call_check_host, _check_host),
        verbs=(CHECKED,),
    ),
    Operation(
        name="renew_webhook_secret",
        permission=REPOS_MANAGE,
        input=ActionInput,
        run=_renew_webhook_secret,
        verbs=(WEBHOOK_RENEWED,),
    ),
    Operation(
        name="disconnect_host",
        permission=REPOS_MANAGE,
        input=ActionInput,
        run=_disconnect_host,
        verbs=(DISCONNECTED,),
    ),
    Operation(
        name="list_host_people",
        permission=MEMBERS_MANAGE,
        input=ListHostPeopleInput,
        run=AfterNetwork(_call_list_host_people, _list_host_people),
    ),
)
