"""The adapter against ``emulate``, a third-party emulator of GitHub.

The emulator lacks commit statuses, the pull requests of a commit and the list of an installation's
repositories, and treats any token as its first user's; test_contract covers the rest.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count

import pytest

from tests.support.hosts.contract import members_of
from tests.support.hosts.github.emulator import (
    APP_ID,
    INSTALLATION,
    MEMBERS,
    ORGANIZATION,
    ORGANIZATION_INSTALLATION,
    OTHER_TOKEN,
    PERSON,
    REPOSITORIES,
    TOKEN,
    WEBHOOK_SECRET,
    Emulator,
    github_emulator,
)
from tests.support.hosts.local_server import (
    LocalServer,
    ReceivedRequest,
    Reply,
    local_server,
    reply,
)
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.github import GitHubHost, GitHubWebhookReader
from visual_review.hosts.github.factory import open_github_api
from visual_review.hosts.port import Event, HostGroup

NAME = f"{PERSON}/web"
MARK = "<!-- mark -->"
WAIT_SECONDS = 60
_branches = count()


@dataclass(frozen=True)
class EmulatedGitHub:
    emulator: Emulator
    webhooks: LocalServer

    def events(self, kind: str) -> list[Event]:
        """Return the events of a kind delivered so far, each with a verified signature."""
        found = []
        for request in list(self.webhooks.requests):
            GitHubWebhookReader().verify_signature(request.headers, request.body, WEBHOOK_SECRET)
            event = GitHubWebhookReader().parse_event(request.headers, request.body)
            if event is not None and event.kind == kind:
                found.append(event)
        return found


def accepted(_: ReceivedRequest) -> Reply:
    return reply({})


@pytest.fixture(scope="module")
def github() -> Iterator[EmulatedGitHub]:
    with local_server(accepted) as webhooks, github_emulator(webhooks.address) as emulator:
        yield EmulatedGitHub(emulator, webhooks)


@pytest.fixture
def host(github: EmulatedGitHub) -> Iterator[GitHubHost]:
    with closing(open_github_api(github.emulator.address, {"token": TOKEN})) as opened:
        yield opened


@pytest.fixture
def app_host(github: EmulatedGitHub) -> Iterator[GitHubHost]:
    with closing(open_github_api(github.emulator.address, app_credentials(github))) as opened:
        yield opened


def app_credentials(github: EmulatedGitHub) -> dict[str, str]:
    return {
        "app_id": APP_ID,
        "private_key": github.emulator.key,
        "installation_id": INSTALLATION,
    }


@pytest.mark.parametrize("access", ["token", "app"])
def test_members_of_organizations_and_teams_are_listed(github: EmulatedGitHub, access: str) -> None:
    slug = github.emulator.add_team(f"Team {access}", "person-1", "person-3")
    credentials = {"token": TOKEN}
    if access == "app":
        credentials = {**app_credentials(github), "installation_id": ORGANIZATION_INSTALLATION}
    with closing(open_github_api(github.emulator.address, credentials)) as host:
        groups = list(host.list_groups())
        assert groups[0] == HostGroup(f"orgs/{ORGANIZATION}", ORGANIZATION)
        team = HostGroup(f"orgs/{ORGANIZATION}/teams/{slug}", f"{ORGANIZATION}/Team {access}")
        assert team in groups
        everyone = members_of(host, groups[0].id)
        assert len(everyone) == len(MEMBERS) + 1
        assert [one.login for one in members_of(host, team.id)] == ["person-1", "person-3"]
    person = next(one for one in everyone if one.login == "person-1")
    assert (person.name, person.email) == ("Person 1", "p1@example.com")
    assert person.avatar.startswith("http")


def test_a_persons_installation_has_no_groups(app_host: GitHubHost) -> None:
    assert list(app_host.list_groups()) == []


def opened_pull_request(github: EmulatedGitHub) -> int:
    made = github.emulator.open_pull_request(NAME, f"branch-{next(_branches)}")
    return int(made["number"])


def delivered(github: EmulatedGitHub, kind: str, number: int, state: str) -> Event:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        for event in github.events(kind):
            pull = event.pull_request
            if pull is not None and (pull.number, pull.state) == (number, state):
                return event
        time.sleep(0.05)
    raise AssertionError(f"no {kind} of #{number}: {len(github.webhooks.requests)} deliveries came")


def test_a_token_and_an_app_return_their_identity(host: GitHubHost, app_host: GitHubHost) -> None:
    assert host.get_identity().name == PERSON
    assert app_host.get_identity().name == "visual-review[bot]"


def test_repositories_are_listed_over_two_pages(host: GitHubHost) -> None:
    found = {one.full_name for one in host.list_repositories()}
    # Another test deletes one.
    assert len(found) in {REPOSITORIES, REPOSITORIES - 1}
    assert NAME in found


def test_a_repository_is_found_by_its_name_and_id(host: GitHubHost, app_host: GitHubHost) -> None:
    for opened in (host, app_host):
        found = opened.get_repository(NAME)
        assert (found.full_name, found.default_branch) == (NAME, "main")
        assert opened.get_repository_by_id(found.id) == found


def test_unknown_resources_are_missing(host: GitHubHost) -> None:
    with pytest.raises(HostMissingError):
        host.get_repository(f"{PERSON}/nothing")
    with pytest.raises(HostMissingError):
        host.get_pull_request(NAME, 4040)


def test_an_app_without_its_installation_is_rejected(github: EmulatedGitHub) -> None:
    elsewhere = {**app_credentials(github), "installation_id": "101"}
    with closing(open_github_api(github.emulator.address, elsewhere)) as app_host:
        with pytest.raises(HostAccessError, match="installation 101"):
            app_host.get_repository(NAME)
        with pytest.raises(HostAccessError, match="installation 101"):
            app_host.get_identity()


def test_a_pull_request_is_read_open_closed_and_merged(
    github: EmulatedGitHub, host: GitHubHost
) -> None:
    closed, merged = opened_pull_request(github), opened_pull_request(github)
    found = host.get_pull_request(NAME, closed)
    assert (found.state, found.head_repository, found.base_branch) == ("open", NAME, "main")
    assert found.merge_commit == ""
    assert found in list(host.list_open_pull_requests(NAME))
    github.emulator.call("PATCH", f"repos/{NAME}/pulls/{closed}", state="closed")
    done = github.emulator.call("PUT", f"repos/{NAME}/pulls/{merged}/merge")
    assert host.get_pull_request(NAME, closed).state == "closed"
    found = host.get_pull_request(NAME, merged)
    assert (found.state, found.merge_commit) == ("merged", done["sha"])
    still_open = {one.number for one in host.list_open_pull_requests(NAME)}
    assert not {closed, merged} & still_open


@pytest.mark.parametrize("which", ["host", "app_host"])
def test_comments_of_our_own_are_added_found_and_edited(
    github: EmulatedGitHub, request: pytest.FixtureRequest, which: str
) -> None:
    opened: GitHubHost = request.getfixturevalue(which)
    number = opened_pull_request(github)
    comments = f"repos/{NAME}/issues/{number}/comments"
    github.emulator.call("POST", comments, OTHER_TOKEN, body=f"> {MARK} quoted by another")
    assert opened.find_comment(NAME, number, MARK) is None
    for place_before in range(101):
        github.emulator.call("POST", comments, OTHER_TOKEN, body=f"Comment {place_before}")
    added = opened.add_comment(NAME, number, f"{MARK}\nOne **change**")
    assert opened.find_comment(NAME, number, MARK) == added
    opened.edit_comment(NAME, number, added.id, f"{MARK}\nNone")
    found = opened.find_comment(NAME, number, MARK)
    assert found is not None
    assert (found.id, found.body) == (added.id, f"{MARK}\nNone")
    github.emulator.call("DELETE", f"repos/{NAME}/issues/comments/{added.id}")
    assert opened.find_comment(NAME, number, MARK) is None
    with pytest.raises(HostMissingError):
        opened.edit_comment(NAME, number, added.id, MARK)


def test_signed_webhooks_report_pull_requests(github: EmulatedGitHub, host: GitHubHost) -> None:
    number = opened_pull_request(github)
    event = delivered(github, "pull_request", number, "open")
    assert event.full_name == NAME
    assert event.repository_id == host.get_repository(NAME).id
    assert event.pull_request is not None
    assert event.pull_request.base_branch == "main"
    github.emulator.call("PUT", f"repos/{NAME}/pulls/{number}/merge")
    merged = delivered(github, "pull_request", number, "merged").pull_request
    assert merged is not None
    assert merged.merge_commit == host.get_pull_request(NAME, number).merge_commit


def test_signed_webhooks_report_a_deleted_repository(
    github: EmulatedGitHub, host: GitHubHost
) -> None:
    known = host.get_repository(f"{PERSON}/part-7")
    github.emulator.call("DELETE", f"repos/{known.full_name}")
    with pytest.raises(HostMissingError):
        host.get_repository_by_id(known.id)
    deadline = time.monotonic() + WAIT_SECONDS
    while not github.events("repository_removed"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    found = github.events("repository_removed")[0]
    assert (found.repository_id, found.full_name) == (known.id, known.full_name)
