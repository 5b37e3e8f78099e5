"""Our shapes, and the servers of the tests, hold what the hosts publish and nothing else."""

from collections.abc import Iterator

import httpx
import pytest
from pydantic import BaseModel
from scripts.local_host.app import application

from tests.unit.hosts.gitlab_server import GitLabServer
from tests.unit.hosts.published import GITEA, GITLAB, Definitions, breaches
from tests.unit.hosts.serving import Door, served_door
from tests.unit.hosts.stage import NAME, TOKEN
from visual_review.hosts.gitea import shapes as gitea
from visual_review.hosts.gitlab import shapes as gitlab
from visual_review.hosts.memory import MemoryHost, MemoryWorld
from visual_review.hosts.port import HostStatus

COMMIT = "a" * 40
MODELS: list[tuple[type[BaseModel], str, Definitions]] = [
    (gitea.User, "User", GITEA),
    (gitea.Repository, "Repository", GITEA),
    (gitea.Branch, "PRBranchInfo", GITEA),
    (gitea.PullRequest, "PullRequest", GITEA),
    (gitea.Status, "CommitStatus", GITEA),
    (gitea.Commit, "Commit", GITEA),
    (gitea.Comment, "Comment", GITEA),
    (gitlab.User, "User", GITLAB),
    (gitlab.Project, "Project", GITLAB),
    (gitlab.MergeRequest, "MergeRequest", GITLAB),
    (gitlab.Status, "CommitStatus", GITLAB),
    (gitlab.Note, "Note", GITLAB),
]


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with served_door() as door:
        yield door


@pytest.fixture
def world() -> MemoryWorld:
    world = MemoryWorld("memory://published")
    world.add_repository(NAME)
    host = MemoryHost(world, TOKEN)
    number = world.open_pull_request(NAME, "blue", COMMIT).number
    world.open_pull_request(NAME, "green", COMMIT)
    world.merge_pull_request(NAME, number)
    world.write_comment(NAME, 2, "A remark")
    host.set_status(NAME, COMMIT, HostStatus("visual-review", "success", "Fine", "http://x.test"))
    return world


@pytest.mark.parametrize(("model", "name", "known"), MODELS)
def test_every_field_that_is_read_is_published(
    model: type[BaseModel], name: str, known: Definitions
) -> None:
    unknown = model.model_fields.keys() - known[name].keys()
    needed = {field for field, told in model.model_fields.items() if told.is_required()}
    assert not unknown
    assert not {field for field in needed if known[name][field].endswith("?")}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("user", "User"),
        ("user/repos", "Repository[]"),
        ("repositories/1", "Repository"),
        (f"repos/{NAME}", "Repository"),
        (f"repos/{NAME}/pulls?state=open", "PullRequest[]"),
        (f"repos/{NAME}/pulls/1", "PullRequest"),
        (f"repos/{NAME}/pulls/2/commits", "Commit[]"),
        (f"repos/{NAME}/issues/2/comments", "Comment[]"),
    ],
)
def test_the_local_host_answers_as_gitea_publishes(
    door: Door, world: MemoryWorld, path: str, wanted: str
) -> None:
    door.app = application(door.address, world)
    answer = httpx.get(
        f"{door.address}/api/v1/{path}", headers={"Authorization": f"token {TOKEN}"}, timeout=60
    )
    assert breaches(answer.json(), wanted, GITEA) == []


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("user", "User"),
        ("projects?pagination=keyset", "Project[]"),
        ("projects/1", "Project"),
        ("projects/1/merge_requests?state=opened", "MergeRequest[]"),
        ("projects/1/merge_requests/1", "MergeRequest"),
        ("projects/1/merge_requests/2/notes", "Note[]"),
        (f"projects/1/repository/commits/{COMMIT}/merge_requests", "MergeRequest[]"),
    ],
)
def test_the_server_of_the_tests_answers_as_gitlab_publishes(
    door: Door, world: MemoryWorld, path: str, wanted: str
) -> None:
    door.app = GitLabServer(world).application()
    answer = httpx.get(
        f"{door.address}/api/v4/{path}", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
    )
    assert breaches(answer.json(), wanted, GITLAB) == []


def test_a_breach_is_noticed() -> None:
    told = {"id": "1", "login": "ada", "age": 7}
    assert sorted(breaches(told, "User", GITEA)) == [
        ".age is not published",
        ".id is '1' and no integer",
    ]
