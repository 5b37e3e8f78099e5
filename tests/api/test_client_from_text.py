"""A client written by hand from the published text reviews a repository by all 20 actions."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.support.api_clients.client_from_text import (
    InvalidInputError,
    NotFoundError,
    Region,
    Screenshot,
    UnauthorizedError,
    VisualReviewClient,
)
from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.host_accounts import connect_account
from tests.support.personas import Personas
from tests.support.recording_rows import record
from tests.support.servers.web import web_server
from tests.support.worlds import World
from visual_review.actions.registry import published_actions
from visual_review.repositories.models import Repository

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "rest.md"
ROW = re.compile(r"^\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")


class RecordingTransport(httpx.HTTPTransport):
    """Keeps the results of all calls, by action."""

    def __init__(self) -> None:
        super().__init__()
        self.results: dict[str, list[Any]] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        response.read()
        if response.status_code == httpx.codes.OK:
            action = request.url.path.rpartition("/")[2]
            self.results.setdefault(action, []).append(response.json()["result"])
        return response


@dataclass
class Journey:
    """A repository that the client connects; CI and recordings come from the world."""

    client: VisualReviewClient
    world: World
    repo_id: str = field(default="", init=False)

    def connect(self) -> None:
        offered = self.client.list_host_repos()
        (name,) = (repo.full_name for repo in offered if repo.full_name == "acme/design")
        connected = self.client.connect_repo(name, "trunk")
        assert connected.repository in self.client.list_repos()
        assert connected.repository.default_branch == "trunk"
        self.repo_id = connected.repository.id
        assert self.client.rotate_repo_token(self.repo_id) != connected.token
        self.world.repository = Repository.objects.get(pk=self.repo_id)

    def choose_captures(self) -> None:
        default = self.client.set_org_capture(themes=["light"], dismiss_detection_notice=True)
        assert (default.themes, default.devices) == (["light"], None)
        assert not default.show_detection_notice
        captured = self.client.set_repo_capture(self.repo_id, devices=["desktop"])
        assert (captured.themes, captured.devices) == (["light"], ["desktop"])

    def publish(self, **colors: str) -> str:
        self.world.publish(colors, branch="trunk")
        newest = self.client.list_builds(self.repo_id, limit=1)[0]
        assert (newest.branch, newest.status) == ("trunk", "completed")
        return newest.id

    def screenshots(self, build_id: str) -> dict[str, Screenshot]:
        full = self.client.get_build(build_id)
        assert full.build in self.client.list_builds(self.repo_id)
        return {shot.story_id: shot for shot in full.screenshots}

    def review(self) -> None:
        first = self.publish(button="red", card="blue", menu="white")
        assert self.client.approve_build(first).review_state == "approved"
        second = self.publish(button="green", card="yellow", menu="black")
        card = self.screenshots(second)["card"]
        assert (card.theme, card.device, card.diff_state) == ("light", "desktop", "changed")
        assert self.client.review_screenshot(card.id, "rejected", "Too wide.").build_id == second
        story = self.client.approve_story_screenshots(second, "button")
        assert story.review_state == "unreviewed"
        shots = self.screenshots(second)
        assert (shots["card"].review_decision, shots["card"].comment) == ("rejected", "Too wide.")
        assert (shots["button"].review_decision, shots["menu"].review_decision) == (
            "approved",
            None,
        )
        assert self.client.approve_all_screenshots(second).review_state == "approved"
        third = self.publish(button="green", card="red", menu="black")
        assert self.client.reject_build(third).review_state == "rejected"

    def ignore_a_region(self) -> None:
        region = Region(0, 0.5, 1, 0.25)
        stored = self.client.set_dynamic_regions(self.repo_id, "card", "light", "desktop", [region])
        assert stored == [region]

    def watch_a_recording(self) -> None:
        assert self.client.enable_recordings(self.repo_id).enabled
        record(self.world.repository, "signs in")
        (listed,) = self.client.list_recordings(self.repo_id)
        full = self.client.get_recording(listed.id)
        assert full.recording == listed
        assert listed.linked_test is not None
        assert (listed.title, listed.linked_test["title"]) == ("signs in", "signs in")
        assert full.video_url.startswith("http")
        self.client.delete_recording(listed.id)
        assert self.client.list_recordings(self.repo_id) == []
        assert not self.client.disable_recordings(self.repo_id).enabled

    def make_mistakes(self, url: str) -> None:
        with pytest.raises(InvalidInputError, match="at least 1 character"):
            self.client.connect_repo("")
        with pytest.raises(NotFoundError, match="is the id of a repository"):
            self.client.get_build(self.repo_id)
        with (
            VisualReviewClient(url, "wrong") as stranger,
            pytest.raises(UnauthorizedError, match="Bearer"),
        ):
            stranger.list_repos()

    def remove(self) -> None:
        self.client.remove_repo(self.repo_id)
        with pytest.raises(NotFoundError, match="no repository"):
            self.client.list_builds(self.repo_id)


def documented_fields() -> list[tuple[str, str]]:
    """Return each action with each path that the reference gives for its result."""
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
    personas: Personas, settings: Settings, case: Case
) -> None:
    world = World(personas.alice)
    connect_account(personas.alice, "acme/web", "acme/design")
    transport = RecordingTransport()
    key = user_key(personas.alice)
    with (
        web_server(settings) as url,
        VisualReviewClient(url, key, transport=transport) as client,
    ):
        journey = Journey(client, world)
        journey.connect()
        journey.choose_captures()
        journey.review()
        journey.ignore_a_region()
        journey.watch_a_recording()
        journey.make_mistakes(url)
        journey.remove()
    names = {action.name for action in published_actions()}
    assert transport.results.keys() == names
    documented = documented_fields()
    assert {action for action, _ in documented} == names
    for action, path in documented:
        with case(f"{action}: {path}"):
            assert any(has_field(result, path) for result in transport.results[action])
