"""GitLab's adapter over HTTP, at a server that tells its world in GitLab's shapes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.hosts.contract import COMMIT, MARK, HostContract, opened, status
from tests.unit.hosts.gitlab_server import GitLabServer
from tests.unit.hosts.serving import Door, served_door
from tests.unit.hosts.stage import NAME, TOKEN, Stage
from visual_review.hosts.errors import HostMissingError, HostRefusedError
from visual_review.hosts.gitlab.host import GitLabHost, gitlab_client
from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.patience import Patience
from visual_review.hosts.port import HostRepository, StatusState


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with served_door() as door:
        yield door


@pytest.fixture
def server(door: Door) -> GitLabServer:
    world = MemoryWorld("memory://gitlab")
    world.add_repository(NAME)
    server = GitLabServer(world)
    door.app = server.application()
    return server


@pytest.fixture
def stage(door: Door, server: GitLabServer) -> Iterator[Stage]:
    patience = Patience(sleep=lambda _seconds: None)
    host = GitLabHost(gitlab_client(door.address, TOKEN, patience))
    yield Stage(server.world, host)
    host.close()


class TestGitLabHost(HostContract):
    @pytest.mark.parametrize("state", ["pending", "success", "failure", "error"])
    def test_every_state_can_be_told(self, stage: Stage, state: StatusState) -> None:
        opened(stage)
        stage.host.set_status(NAME, COMMIT, status(state))
        # GitLab has one word for a failure and an error.
        told = status("failure" if state == "error" else state)
        assert stage.world.statuses_of(NAME, COMMIT) == {"visual-review": told}


def test_each_new_words_of_a_pending_status_are_told(stage: Stage, server: GitLabServer) -> None:
    opened(stage)
    shown = []
    for words in ("Uploading", "Comparing", "2 wait for a review", "3 wait for a review"):
        stage.host.set_status(NAME, COMMIT, replace(status(), description=words))
        told = stage.world.statuses_of(NAME, COMMIT)["visual-review"]
        shown.append((told.state, told.description, *server.set_states.values()))
    assert shown == [
        ("pending", "Uploading", "pending"),
        ("pending", "Comparing", "running"),
        ("pending", "2 wait for a review", "pending"),
        ("pending", "3 wait for a review", "running"),
    ]


def test_a_state_that_stands_already_is_no_failure(stage: Stage) -> None:
    opened(stage)
    for _ in range(4):
        stage.host.set_status(NAME, COMMIT, status("pending"))
    stage.host.set_status(NAME, COMMIT, status("success"))
    assert stage.world.statuses_of(NAME, COMMIT)["visual-review"].state == "success"


def test_a_renamed_project_is_written_to_by_its_number(stage: Stage) -> None:
    number = opened(stage)
    stage.world.rename_repository(NAME, "acme/team/site")
    added = stage.host.add_comment(NAME, number, "Under its former name")
    stage.host.edit_comment(NAME, number, added.id, "Changed")
    stage.host.set_status(NAME, COMMIT, status())
    assert [one.body for one in stage.world.comments_of("acme/team/site", number)] == ["Changed"]
    assert len(stage.world.statuses_of("acme/team/site", COMMIT)) == 1


def test_a_project_in_nested_groups_is_found(stage: Stage) -> None:
    made = stage.world.add_repository("acme/team/web")
    assert stage.host.repository("acme/team/web") == made


def test_the_status_of_a_fork_is_set_in_the_fork(stage: Stage, server: GitLabServer) -> None:
    stage.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    stage.host.set_status(NAME, COMMIT, status("success"))
    assert server.fork_statuses == [(900, COMMIT, status("success"))]
    assert stage.world.statuses_of(NAME, COMMIT) == {}


def test_a_fork_that_takes_no_status_says_what_helps(stage: Stage, server: GitLabServer) -> None:
    stage.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    server.closed_forks.add(900)
    with pytest.raises(HostMissingError, match="developer in the fork"):
        stage.host.set_status(NAME, COMMIT, status("success"))


def test_an_empty_project_has_no_default_branch(stage: Stage) -> None:
    made = stage.world.add_repository("acme/empty", "")
    assert stage.host.repository("acme/empty") == HostRepository(made.id, "acme/empty", "")


def test_a_comment_of_an_account_connected_before_is_missing(stage: Stage) -> None:
    number = opened(stage)
    former = stage.world.write_comment(NAME, number, MARK, author="the former account")
    with pytest.raises(HostMissingError):
        stage.host.edit_comment(NAME, number, former.id, "Anew")
    stage.world.revoke(TOKEN)
    with pytest.raises(HostRefusedError):
        stage.host.edit_comment(NAME, number, former.id, "Anew")
