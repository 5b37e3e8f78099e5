"""Gitea's adapter over HTTP, against the local host that responds like Gitea."""

from collections.abc import Iterator

import pytest
from scripts.local_host.app import create_application
from scripts.local_host.memory import MemoryWorld

from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from tests.support.hosts.asgi_server import AsgiServer
from tests.support.hosts.contract import (
    COMMIT,
    MARK,
    HostContract,
    members_of,
    open_pull_request,
    people,
)
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.port import HostGroup
from visual_review.hosts.retries import RetryPolicy

# Smaller than the lists of the contract, so that each has several pages.
PAGE = 3


@pytest.fixture
def adapter(asgi_server: AsgiServer) -> Iterator[AdapterUnderTest]:
    world = MemoryWorld("memory://gitea")
    world.add_repository(NAME)
    asgi_server.app = create_application(asgi_server.address, world, PAGE)
    retry_policy = RetryPolicy(sleep=lambda _seconds: None)
    host = GiteaHost(gitea_client(asgi_server.address, TOKEN, retry_policy))
    yield AdapterUnderTest(world, host)
    host.close()


class TestGiteaHost(HostContract):
    pass


def test_members_of_organizations_and_teams_are_listed(adapter: AdapterUnderTest) -> None:
    everyone = people(2 * PAGE + 1)
    adapter.world.add_group("orgs/acme", "acme", *everyone)
    adapter.world.add_group("teams/7", "acme/design", *everyone[:2])
    groups = list(adapter.host.list_groups())
    assert groups == [HostGroup("orgs/acme", "acme"), HostGroup("teams/7", "acme/design")]
    assert members_of(adapter.host, "orgs/acme") == everyone
    assert members_of(adapter.host, "teams/7") == everyone[:2]


def test_a_status_and_a_comment_reach_a_renamed_repository(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    adapter.world.rename_repository(NAME, "acme/site")
    adapter.host.add_comment(NAME, number, "Under its old name")
    assert len(adapter.world.comments_of("acme/site", number)) == 1


def test_an_earlier_commit_of_a_pull_request_is_found(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    for place in range(PAGE + 1):
        adapter.world.push(NAME, number, f"{place:040x}")
    assert adapter.host.find_pull_requests(NAME, COMMIT) == [number]


def test_a_name_with_three_parts_is_rejected_without_a_call(adapter: AdapterUnderTest) -> None:
    with pytest.raises(HostMissingError, match="owner/name"):
        adapter.host.get_repository("acme/team/web")


def test_a_comment_of_a_previously_connected_account_is_missing(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    former = adapter.world.write_comment(NAME, number, MARK, author="the old account")
    with pytest.raises(HostMissingError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
    adapter.world.revoke(TOKEN)
    with pytest.raises(HostAccessError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
