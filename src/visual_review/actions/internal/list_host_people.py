"""list_host_people: list the people of a group at the connected Git provider, to invite them."""

from itertools import islice
from typing import Annotated, Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import members_of
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import open_account_host
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.hosts.port import HostGroup, HostPerson
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.host_accounts import connected_account

# A page offers all groups as choices.
MOST_GROUPS: Final = 500
UNKNOWN: Final = "There is no such group at the Git provider, or the account may not see it."


class Input(ActionInput):
    """Without ``groupId``, the first group is shown."""

    group_id: str = ""
    page: Annotated[int, Field(ge=1, le=1000)] = 1


class Group(ActionResult):
    id: str
    name: str


class Person(ActionResult):
    """``email`` and ``avatar`` are empty where the Git provider shows none."""

    login: str
    name: str
    email: str
    avatar: str
    is_member: bool


class Result(ActionResult):
    group_id: str
    groups: list[Group]
    people: list[Person]
    more: bool


HostPeople = tuple[str, list[HostGroup], list[HostPerson], bool]


def call_host(caller: Caller, values: Input) -> HostPeople:
    with open_account_host(connected_account(caller.organization_id)) as host:
        groups = list(islice(host.list_groups(), MOST_GROUPS))
        if not groups:
            return "", [], [], False
        # Only ids named by the provider become part of a request's path.
        group_id = values.group_id or groups[0].id
        if group_id not in {group.id for group in groups}:
            raise NotFoundError(UNKNOWN)
        people, more = host.list_members(group_id, values.page)
    return group_id, groups, people, more


def run(caller: Caller, _values: Input, found: HostPeople) -> Outcome[Result]:
    group_id, groups, people, more = found
    members = members_of(caller.organization_id).filter(
        user__email__in=[person.email.lower() for person in people]
    )
    emails = set(members.values_list("user__email", flat=True))
    result = Result(
        group_id=group_id,
        groups=[Group(id=group.id, name=group.name) for group in groups],
        people=[
            Person(
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


ACTION = Action(
    name="list_host_people",
    title="List people at the Git provider",
    permission=MEMBERS_MANAGE,
    description="Lists the organizations and teams that the connected account at the Git provider "
    "belongs to, and the people of one of them.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
)
