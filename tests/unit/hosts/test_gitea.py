"""Gitea's adapter over HTTP, at the local host that tells its world in Gitea's shapes."""

from collections.abc import Iterator

import pytest
from scripts.local_host.app import application

from tests.unit.hosts.contract import COMMIT, MARK, HostContract, opened
from tests.unit.hosts.serving import Door, served_door
from tests.unit.hosts.stage import NAME, TOKEN, Stage
from visual_review.hosts.errors import HostMissingError, HostRefusedError
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.patience import Patience

# Smaller than what the contract lists, so that every list has several.
PAGE = 3


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with served_door() as door:
        yield door


@pytest.fixture
def stage(door: Door) -> Iterator[Stage]:
    world = MemoryWorld("memory://gitea")
    world.add_repository(NAME)
    door.app = application(door.address, world, PAGE)
    patience = Patience(sleep=lambda _seconds: None)
    host = GiteaHost(gitea_client(door.address, TOKEN, patience))
    yield Stage(world, host)
    host.close()


class TestGiteaHost(HostContract):
    pass


def test_a_status_and_a_comment_reach_a_renamed_repository(stage: Stage) -> None:
    number = opened(stage)
    stage.world.rename_repository(NAME, "acme/site")
    stage.host.add_comment(NAME, number, "Under its former name")
    assert len(stage.world.comments_of("acme/site", number)) == 1


def test_an_earlier_commit_of_a_pull_request_is_found(stage: Stage) -> None:
    number = opened(stage)
    for place in range(PAGE + 1):
        stage.world.push(NAME, number, f"{place:040x}")
    assert stage.host.pull_requests_of(NAME, COMMIT) == [number]


def test_a_name_with_three_parts_is_missing_at_once(stage: Stage) -> None:
    with pytest.raises(HostMissingError, match="owner/name"):
        stage.host.repository("acme/team/web")


def test_a_comment_of_an_account_connected_before_is_missing(stage: Stage) -> None:
    number = opened(stage)
    former = stage.world.write_comment(NAME, number, MARK, author="the former account")
    with pytest.raises(HostMissingError):
        stage.host.edit_comment(NAME, number, former.id, "Anew")
    stage.world.revoke(TOKEN)
    with pytest.raises(HostRefusedError):
        stage.host.edit_comment(NAME, number, former.id, "Anew")
