"""While the disk is full: changing requests get 507, reading and deleting ones work."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.api_keys import call, user_key
from tests.support.ci.publish_client import connect, make_image, problem_of, put
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.kernel.disk_reserve import DiskReserve


@pytest.fixture
def full(settings: Settings, tmp_path: Path) -> None:
    """A disk whose reserve was given back, without room for another reserve."""
    settings.DISK_RESERVE = DiskReserve(tmp_path / "disk-reserve", 2**50)


def test_decisions_are_refused_and_lists_are_not(
    personas: Personas, request: pytest.FixtureRequest
) -> None:
    world = World(personas.alice)
    build = world.publish({"a": "red"})
    key = user_key(personas.alice)
    request.getfixturevalue("full")
    detail = problem_of(call(key, "approve_build", {"buildId": build.id}), 507)["detail"]
    assert "must be freed. Nothing was stored. Reading still works" in detail
    assert call(key, "list_builds", {"repoId": world.repository.id}).status_code == 200
    assert world.fresh(build).review_state == "unreviewed"
    # Removing something is how room is made.
    assert call(key, "remove_repo", {"repoId": world.repository.id}).status_code == 200


def test_builds_are_refused_and_plans_are_not(
    personas: Personas, request: pytest.FixtureRequest
) -> None:
    job = connect(personas.alice)
    build = job.create()
    request.getfixturevalue("full")
    assert job.plan(branch="main")["baselineRule"] == "none"
    problem_of(job.call("POST", "builds", job.request_body()), 507)
    path = f"builds/{build['id']}/screenshots"
    problem_of(job.call("POST", path, {"screenshots": [make_image().shot("a")]}), 507)
    assert job.show(build)["status"] == "uploading"


def test_no_file_is_stored_from_what_was_given_back(
    personas: Personas, request: pytest.FixtureRequest
) -> None:
    job, image = connect(personas.alice), make_image()
    [upload] = job.announce(job.create(), image.shot("a"))["uploads"]
    request.getfixturevalue("full")
    assert put(upload["url"], image.data).status_code == 507


@pytest.mark.usefixtures("full")
def test_every_page_says_so(personas: Personas) -> None:
    for client, path in ((signed_in(personas.carol), "/repositories"), (Client(), "/sign-in")):
        text = client.get(path).content.decode()
        assert "The disk of the service is full: " in text


def test_admins_are_warned_before(
    personas: Personas, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DISK_RESERVE = DiskReserve(tmp_path / "disk-reserve", 0)
    settings.DISK_RESERVE.path.touch()
    monkeypatch.setattr("visual_review.kernel.disk_reserve.NEARLY_FULL", 1.1)
    warning = "The disk of the service is nearly full: "
    assert warning in signed_in(personas.alice).get("/").content.decode()
    assert warning not in signed_in(personas.carol).get("/").content.decode()
    assert warning not in signed_in(personas.alice).get("/members").content.decode()
