"""The same rejection at an emulator of GitHub, through the real adapter: one comment."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.hosts.connected_repository import ConnectedRepository, connect_repository
from tests.support.hosts.github.emulator import PERSON, TOKEN, Emulator, github_emulator
from tests.support.personas import Personas
from visual_review.hosts.github.factory import open_github_api
from visual_review.jobs.hosts.calls import account_calls

NAME = f"{PERSON}/web"
WORDS = "Too red"


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    # Nothing listens to its webhooks.
    with github_emulator("http://127.0.0.1:9") as started:
        yield started


@pytest.fixture
def repository(
    personas: Personas, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> ConnectedRepository:
    # The emulator has the API at its root, as api.github.com has, not below /api/v3.
    opened = partial(open_github_api, emulator.address, {"token": TOKEN})
    monkeypatch.setattr(account_calls, "open_host", lambda *_: opened())
    connected = connect_repository(personas.alice)
    pull_request = emulator.open_pull_request(NAME, "feature")
    assert (pull_request["number"], connected.row.full_name) == (1, NAME)
    connected.build = connected.world.publish(
        {"a": "red", "b": "blue"}, "feature", target="main", commit=pull_request["head"]["sha"]
    )
    return connected


def posted(emulator: Emulator) -> list[str]:
    comments = emulator.call("GET", f"repos/{NAME}/issues/1/comments")
    return [row["body"] for row in comments if "visual-review:rejection:" in row["body"]]


def test_the_same_rejection_is_one_comment(
    repository: ConnectedRepository, emulator: Emulator
) -> None:
    for words in (WORDS, WORDS, "Still too red", WORDS):
        repository.reject(repository.build, "a", words)
        repository.run_jobs()
    assert [body.count(f"> {WORDS}") for body in posted(emulator)] == [1]
    repository.approve(repository.build)
    repository.reject(repository.build, "a", WORDS)
    repository.run_jobs()
    assert len(posted(emulator)) == 1
    # Another screenshot has a comment of its own.
    repository.reject(repository.build, "b", WORDS)
    repository.run_jobs()
    assert len(posted(emulator)) == 2
