"""Our schemas and the test servers match the schemas published by Git providers."""

import httpx
import pytest
from pydantic import BaseModel
from scripts.local_host.app import create_application
from scripts.local_host.memory import MemoryHost, MemoryWorld

from tests.support.case import Case
from tests.support.hosts.adapter import NAME, TOKEN, AsgiServer
from tests.support.hosts.gitlab_server import GitLabServer
from tests.support.hosts.response_fields import GITEA, GITLAB, Definitions, breaches
from visual_review.hosts.gitea import schemas as gitea
from visual_review.hosts.gitlab import schemas as gitlab
from visual_review.hosts.port import HostPerson, HostStatus

COMMIT = "a" * 40
MODELS: list[tuple[type[BaseModel], str, Definitions]] = [
    (gitea.User, "User", GITEA),
    (gitea.Person, "Person", GITEA),
    (gitea.Organization, "Organization", GITEA),
    (gitea.Team, "Team", GITEA),
    (gitea.Repository, "Repository", GITEA),
    (gitea.Branch, "PRBranchInfo", GITEA),
    (gitea.NamedBranch, "Branch", GITEA),
    (gitea.PullRequest, "PullRequest", GITEA),
    (gitea.Status, "CommitStatus", GITEA),
    (gitea.Commit, "Commit", GITEA),
    (gitea.Comment, "Comment", GITEA),
    (gitlab.User, "User", GITLAB),
    (gitlab.Group, "Group", GITLAB),
    (gitlab.Member, "Member", GITLAB),
    (gitlab.Project, "Project", GITLAB),
    (gitlab.Branch, "Branch", GITLAB),
    (gitlab.MergeRequest, "MergeRequest", GITLAB),
    (gitlab.Status, "CommitStatus", GITLAB),
    (gitlab.Note, "Note", GITLAB),
]


@pytest.fixture
def world() -> MemoryWorld:
    world = MemoryWorld("memory://published")
    world.add_repository(NAME)
    person = HostPerson("ann", "Ann", "", "https://avatars.test/1")
    world.add_group("orgs/acme", "acme", person)
    world.add_group("teams/7", "acme/design", person)
    world.add_group("groups/9", "company/design", person)
    host = MemoryHost(world, TOKEN)
    number = world.open_pull_request(NAME, "blue", COMMIT).number
    world.open_pull_request(NAME, "green", COMMIT)
    world.merge_pull_request(NAME, number)
    world.write_comment(NAME, 2, "A remark")
    host.set_status(NAME, COMMIT, HostStatus("visual-review", "success", "Fine", "http://x.test"))
    return world


def test_every_field_that_is_read_is_published(case: Case) -> None:
    for model, name, known in MODELS:
        with case(f"{model.__module__}.{name}"):
            unknown = model.model_fields.keys() - known[name].keys()
            needed = {field for field, info in model.model_fields.items() if info.is_required()}
            assert not unknown
            assert not {field for field in needed if known[name][field].endswith("?")}


GITEA_PATHS = [
    ("user", "User"),
    ("user/repos", "Repository[]"),
    ("user/orgs", "Organization[]"),
    ("orgs/acme/teams", "Team[]"),
    ("teams/7/members", "Person[]"),
    ("repositories/1", "Repository"),
    (f"repos/{NAME}", "Repository"),
    (f"repos/{NAME}/branches/main", "Branch"),
    (f"repos/{NAME}/pulls?state=open", "PullRequest[]"),
    (f"repos/{NAME}/pulls/1", "PullRequest"),
    (f"repos/{NAME}/pulls/2/commits", "Commit[]"),
    (f"repos/{NAME}/issues/2/comments", "Comment[]"),
]


def test_the_local_host_responds_as_gitea_publishes(
    case: Case, asgi_server: AsgiServer, world: MemoryWorld
) -> None:
    for path, wanted in GITEA_PATHS:
        with case(path):
            asgi_server.app = create_application(asgi_server.address, world)
            response = httpx.get(
                f"{asgi_server.address}/api/v1/{path}",
                headers={"Authorization": f"token {TOKEN}"},
                timeout=60,
            )
            assert breaches(response.json(), wanted, GITEA) == []


GITLAB_PATHS = [
    ("user", "User"),
    ("projects?pagination=keyset", "Project[]"),
    ("groups", "Group[]"),
    ("groups/9/members/all", "Member[]"),
    ("projects/1", "Project"),
    ("projects/1/repository/branches/main", "Branch"),
    ("projects/1/merge_requests?state=opened", "MergeRequest[]"),
    ("projects/1/merge_requests/1", "MergeRequest"),
    ("projects/1/merge_requests/2/notes", "Note[]"),
    (f"projects/1/repository/commits/{COMMIT}/merge_requests", "MergeRequest[]"),
]


def test_the_test_server_responds_as_gitlab_publishes(
    case: Case, asgi_server: AsgiServer, world: MemoryWorld
) -> None:
    for path, wanted in GITLAB_PATHS:
        with case(path):
            asgi_server.app = GitLabServer(world).application()
            response = httpx.get(
                f"{asgi_server.address}/api/v4/{path}",
                headers={"Authorization": f"Bearer {TOKEN}"},
                timeout=60,
            )
            assert breaches(response.json(), wanted, GITLAB) == []


def test_a_breach_is_noticed() -> None:
    document = {"id": "1", "login": "ada", "age": 7}
    assert sorted(breaches(document, "User", GITEA)) == [
        ".age is not published",
        ".id is '1', not integer",
    ]
