"""The same rejection at an emulator of GitHub, through the real adapter: one comment."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.hosted_world import HostedWorld, hosted_world
from tests.support.hosts.github.emulator import PERSON, TOKEN, Emulator, github_emulator
from tests.support.personas import Personas
from visual_review.hosts.github.factory import open_github_api
from visual_review.jobs.hosts.calls import account_calls

NAME = f"{PERSON}/web"
WORDS = "Too red"


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    # Nothing listens to the emulator's webhooks.
    with github_emulator("http://127.0.0.1:9") as started:
        yield started


@pytest.fixture
def world(personas: Personas, emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> HostedWorld:
    # The emulator has the API at the root, as api.github.com has, not below /api/v3.
    opened = partial(open_github_api, emulator.address, {"token": TOKEN})
    monkeypatch.setattr(account_calls, "open_host", lambda *_: opened())
    connected = hosted_world(personas.alice)
    pull_request = emulator.open_pull_request(NAME, "feature")
    assert (pull_request["number"], connected.repository.full_name) == (1, NAME)
    connected.build = connected.publish_change(
        {"a": "red", "b": "blue"}, commit=pull_request["head"]["sha"]
    )
    return connected


def posted(emulator: Emulator) -> list[str]:
    comments = emulator.call("GET", f"repos/{NAME}/issues/1/comments")
    return [row["body"] for row in comments if "visual-review:rejection:" in row["body"]]


def test_the_same_rejection_is_one_comment(world: HostedWorld, emulator: Emulator) -> None:
    for words in (WORDS, WORDS, "Still too red", WORDS):
        world.reject(world.build, "a", words)
        world.notify()
    assert [body.count(f"> {WORDS}") for body in posted(emulator)] == [1]
    world.approve(world.build)
    world.reject(world.build, "a", WORDS)
    world.notify()
    assert len(posted(emulator)) == 1
    # Another screenshot has a comment of its own.
    world.reject(world.build, "b", WORDS)
    world.notify()
    assert len(posted(emulator)) == 2
