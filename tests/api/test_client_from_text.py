"""A client written by hand from the published text reviews a repository by all 20 actions."""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.host_accounts import connect_account
from tests.support.recording_rows import record
from tests.support.servers.web import web_server
from tests.support.worlds import World
from visual_review.actions.registry import published_actions
from visual_review.repositories.models import Repository

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "rest.md"
ROW = re.compile(r"^\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
Json = dict[str, Any]


class ApiError(Exception):
    """The service refused a call."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.text)
        self.status = response.status_code


@dataclass
class Client:
    """The client of the published text: one URL for each action, a key, JSON; keeps all results."""

    url: str
    key: str
    results: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))

    def __call__(self, action: str, **fields: object) -> Json:
        response = httpx.post(
            f"{self.url}/api/rest/actions/{action}",
            headers={"Authorization": f"Bearer {self.key}"},
            json=fields,
            timeout=30,
        )
        if response.status_code != httpx.codes.OK:
            raise ApiError(response)
        result: Json = response.json()["result"]
        self.results[action].append(result)
        return result


@dataclass
class Journey:
    """A repository connected by the client; CI and recordings come from the world."""

    call: Client
    world: World
    repo_id: str = field(default="", init=False)

    def connect(self) -> None:
        offered = self.call("list_host_repos")["repos"]
        (name,) = (repo["fullName"] for repo in offered if repo["fullName"] == "acme/design")
        connected = self.call("connect_repo", fullName=name, defaultBranch="trunk")
        repo = connected["repo"]
        (listed,) = (each for each in self.call("list_repos")["repos"] if each["id"] == repo["id"])
        assert part(listed, "list_repos", "repos[].") == part(repo, "list_repos", "repos[].")
        assert repo["defaultBranch"] == "trunk"
        self.repo_id = repo["id"]
        rotated = self.call("rotate_repo_token", repoId=self.repo_id)
        assert rotated["projectToken"] != connected["projectToken"]
        self.world.repository = Repository.objects.get(pk=self.repo_id)

    def choose_captures(self) -> None:
        default = self.call("set_org_capture", themes=["light"], dismissDetectionNotice=True)
        assert (default["capture"]["themes"], default["capture"]["devices"]) == (["light"], None)
        assert not default["capture"]["showsDetectionNotice"]
        captured = self.call("set_repo_capture", repoId=self.repo_id, devices=["desktop"])
        assert captured["capture"]["themes"] == ["light"]
        assert captured["capture"]["devices"] == ["desktop"]

    def publish(self, **colors: str) -> str:
        self.world.publish(colors, branch="trunk")
        (newest,) = self.call("list_builds", repoId=self.repo_id, limit=1)["builds"]
        assert (newest["branch"], newest["status"]) == ("trunk", "completed")
        return str(newest["id"])

    def screenshots(self, build_id: str) -> dict[str, Json]:
        full = self.call("get_build", buildId=build_id)["build"]
        listed = self.call("list_builds", repoId=self.repo_id)["builds"]
        assert part(full, "list_builds", "builds[].") in [
            part(build, "list_builds", "builds[].") for build in listed
        ]
        return {shot["storyId"]: shot for shot in full["screenshots"]}

    def review(self) -> None:
        first = self.publish(button="red", card="blue", menu="white")
        assert self.call("approve_build", buildId=first)["reviewState"] == "approved"
        second = self.publish(button="green", card="yellow", menu="black")
        card = self.screenshots(second)["card"]
        variant = card["variant"]
        assert (variant["theme"], variant["device"]) == ("light", "desktop")
        assert card["diffState"] == "changed"
        rejection = {"screenshotId": card["id"], "state": "rejected", "comment": "Too wide."}
        assert self.call("review_screenshot", **rejection)["buildId"] == second
        story = self.call("approve_story_screenshots", buildId=second, storyId="button")
        assert story["reviewState"] == "unreviewed"
        shots = self.screenshots(second)
        decided = {story: shot["reviewDecision"] for story, shot in shots.items()}
        assert decided == {"button": "approved", "card": "rejected", "menu": None}
        assert shots["card"]["comment"] == "Too wide."
        assert self.call("approve_all_screenshots", buildId=second)["reviewState"] == "approved"
        third = self.publish(button="green", card="red", menu="black")
        assert self.call("reject_build", buildId=third)["reviewState"] == "rejected"

    def ignore_a_region(self) -> None:
        region = {"x": 0, "y": 0.5, "width": 1, "height": 0.25}
        variant = {"storyId": "card", "theme": "light", "device": "desktop"}
        stored = self.call("set_dynamic_regions", repoId=self.repo_id, **variant, regions=[region])
        assert stored["regions"] == [region]

    def watch_a_recording(self) -> None:
        repo = {"repoId": self.repo_id}
        assert self.call("enable_recordings", **repo)["enrollment"]["enabled"]
        record(self.world.repository, "signs in")
        (listed,) = self.call("list_recordings", **repo)["recordings"]
        full = self.call("get_recording", recordingId=listed["id"])["recording"]
        assert part(full, "list_recordings", "recordings[].") == part(
            listed, "list_recordings", "recordings[]."
        )
        assert (listed["title"], listed["test"]["title"]) == ("signs in", "signs in")
        assert full["videoUrl"].startswith("http")
        self.call("delete_recording", recordingId=listed["id"])
        assert self.call("list_recordings", **repo)["recordings"] == []
        assert not self.call("disable_recordings", **repo)["enrollment"]["enabled"]

    def make_mistakes(self) -> None:
        with refused(400, "at least 1 character"):
            self.call("connect_repo", fullName="")
        with refused(404, "is the id of a repository"):
            self.call("get_build", buildId=self.repo_id)
        with refused(401, "Bearer"):
            Client(self.call.url, "wrong")("list_repos")

    def remove(self) -> None:
        self.call("remove_repo", repoId=self.repo_id)
        with refused(404, "no repository"):
            self.call("list_builds", repoId=self.repo_id)


@contextmanager
def refused(status: int, message: str) -> Iterator[None]:
    with pytest.raises(ApiError, match=message) as caught:
        yield
    assert caught.value.status == status


def part(value: Json, action: str, prefix: str) -> Json:
    """Return the reference's fields of an item in a list, without the fields inside."""
    paths = [path for name, path in documented_fields() if name == action]
    return {
        name: value[name] for path in paths for name in [path.removeprefix(prefix).split(".")[0]]
    }


def documented_fields() -> list[tuple[str, str]]:
    """Return each action with each path in the reference of its result."""
    section = REFERENCE.read_text().split("## Fields in results\n")[1].split("\n## ")[0]
    rows = ROW.findall(section)[2:]
    return [
        (action, path)
        for _, actions, paths in rows
        for action in QUOTED.findall(actions)
        for path in QUOTED.findall(paths)
    ]


def has_field(value: Any, path: str) -> bool:  # noqa: ANN401 - Any JSON.
    """Whether the path leads somewhere; ``[]`` needs an item."""
    name, _, rest = path.partition(".")
    if name.removesuffix("[]") not in value:
        return False
    found = value[name.removesuffix("[]")]
    items = found if name.endswith("[]") else [found]
    return bool(items) and all(not rest or has_field(item, rest) for item in items)


@pytest.mark.django_db(transaction=True)
def test_a_client_from_the_text_uses_every_action(
    world: World, settings: Settings, case: Case
) -> None:
    connect_account(world.persona, "acme/web", "acme/design")
    with web_server(settings) as url:
        client = Client(url, user_key(world.persona))
        journey = Journey(client, world)
        journey.connect()
        journey.choose_captures()
        journey.review()
        journey.ignore_a_region()
        journey.watch_a_recording()
        journey.make_mistakes()
        journey.remove()
    names = {action.name for action in published_actions()}
    assert client.results.keys() == names
    documented = documented_fields()
    assert {action for action, _ in documented} == names
    for action, path in documented:
        with case(f"{action}: {path}"):
            assert any(has_field(result, path) for result in client.results[action])
