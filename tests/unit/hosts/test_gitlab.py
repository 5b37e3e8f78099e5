"""GitLab's adapter over HTTP, against a test server that responds like GitLab."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
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
    status,
)
from tests.support.hosts.gitlab_server import GitLabServer
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.gitlab.host import GitLabHost, gitlab_client
from visual_review.hosts.port import HostGroup, HostRepository, StatusState
from visual_review.hosts.retries import RetryPolicy


@pytest.fixture
def gitlab_server(asgi_server: AsgiServer) -> GitLabServer:
    world = MemoryWorld("memory://gitlab")
    world.add_repository(NAME)
    gitlab_server = GitLabServer(world)
    asgi_server.app = gitlab_server.application()
    return gitlab_server


@pytest.fixture
def adapter(asgi_server: AsgiServer, gitlab_server: GitLabServer) -> Iterator[AdapterUnderTest]:
    retry_policy = RetryPolicy(sleep=lambda _seconds: None)
    host = GitLabHost(gitlab_client(asgi_server.address, TOKEN, retry_policy))
    yield AdapterUnderTest(gitlab_server.world, host)
    host.close()


class TestGitLabHost(HostContract):
    @pytest.mark.parametrize("state", ["pending", "success", "failure", "error"])
    def test_every_state_can_be_set(self, adapter: AdapterUnderTest, state: StatusState) -> None:
        open_pull_request(adapter)
        adapter.host.set_status(NAME, COMMIT, status(state))
        # GitLab does not distinguish a failure from an error.
        shown_status = status("failure" if state == "error" else state)
        assert adapter.world.statuses_of(NAME, COMMIT) == {"visual-review": shown_status}


def test_members_of_groups_are_listed(adapter: AdapterUnderTest) -> None:
    everyone = people(7)
    adapter.world.add_group("groups/1", "company", *everyone)
    adapter.world.add_group("groups/2", "company/design", *everyone[:1])
    groups = list(adapter.host.list_groups())
    assert groups == [HostGroup("groups/1", "company"), HostGroup("groups/2", "company/design")]
    assert members_of(adapter.host, "groups/1") == everyone
    assert members_of(adapter.host, "groups/2") == everyone[:1]


def test_each_new_description_of_a_pending_status_is_shown(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    open_pull_request(adapter)
    shown = []
    for description in ("Uploading", "Comparing", "2 wait for a review", "3 wait for a review"):
        adapter.host.set_status(NAME, COMMIT, replace(status(), description=description))
        shown_status = adapter.world.statuses_of(NAME, COMMIT)["visual-review"]
        shown.append(
            (shown_status.state, shown_status.description, *gitlab_server.set_states.values())
        )
    assert shown == [
        ("pending", "Uploading", "pending"),
        ("pending", "Comparing", "running"),
        ("pending", "2 wait for a review", "pending"),
        ("pending", "3 wait for a review", "running"),
    ]


def test_setting_the_current_state_again_is_not_a_failure(adapter: AdapterUnderTest) -> None:
    open_pull_request(adapter)
    for _ in range(4):
        adapter.host.set_status(NAME, COMMIT, status("pending"))
    adapter.host.set_status(NAME, COMMIT, status("success"))
    assert adapter.world.statuses_of(NAME, COMMIT)["visual-review"].state == "success"


def test_writes_to_a_renamed_project_use_its_id(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    adapter.world.rename_repository(NAME, "acme/team/site")
    added = adapter.host.add_comment(NAME, number, "Under its old name")
    adapter.host.edit_comment(NAME, number, added.id, "Changed")
    adapter.host.set_status(NAME, COMMIT, status())
    assert [one.body for one in adapter.world.comments_of("acme/team/site", number)] == ["Changed"]
    assert len(adapter.world.statuses_of("acme/team/site", COMMIT)) == 1


def test_a_project_in_nested_groups_is_found(adapter: AdapterUnderTest) -> None:
    made = adapter.world.add_repository("acme/team/web")
    assert adapter.host.get_repository("acme/team/web") == made


def test_the_status_of_a_fork_is_set_in_the_fork(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    adapter.host.set_status(NAME, COMMIT, status("success"))
    assert gitlab_server.fork_statuses == [(900, COMMIT, status("success"))]
    assert adapter.world.statuses_of(NAME, COMMIT) == {}


def test_a_fork_that_rejects_a_status_says_what_to_do(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    gitlab_server.closed_forks.add(900)
    with pytest.raises(HostMissingError, match="Developer role in the fork"):
        adapter.host.set_status(NAME, COMMIT, status("success"))


def test_an_empty_project_has_no_default_branch(adapter: AdapterUnderTest) -> None:
    made = adapter.world.add_repository("acme/empty", "")
    assert adapter.host.get_repository("acme/empty") == HostRepository(made.id, "acme/empty", "")


def test_a_comment_of_a_previously_connected_account_is_missing(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    former = adapter.world.write_comment(NAME, number, MARK, author="the old account")
    with pytest.raises(HostMissingError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
    adapter.world.revoke(TOKEN)
    with pytest.raises(HostAccessError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
