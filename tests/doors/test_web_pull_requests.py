"""Pages show what is known of pull requests, and what the webhook brought."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.following.steps import NAME, Followed
from tests.personas import Personas
from visual_review.builds.host_models import PullRequest
from visual_review.builds.models import Baseline, Build
from visual_review.kernel.clock import now


@pytest.fixture
def followed(personas: Personas) -> Followed:
    return Followed(personas.bob)


@pytest.fixture
def owner(personas: Personas) -> Client:
    client = Client()
    client.force_login(personas.alice.user)
    return client


def read(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


@pytest.fixture
def build(followed: Followed) -> Build:
    found = followed.publish({"a": "blue", "same": "white"})
    followed.deliver()
    return found


def test_a_build_and_the_list_show_title_target_and_state(
    followed: Followed, owner: Client, build: Build
) -> None:
    pages = [f"/builds/{build.id}", f"/repositories/{followed.repository.id}"]
    for address in pages:
        text = read(owner, address)
        assert "Buttons" in text
        assert "into" in text
        assert "Needs review" in text
    followed.host.close_pull_request(NAME, 1)
    followed.deliver()
    for address in pages:
        text = read(owner, address)
        assert ">Closed<" in text
        assert "Not reviewed" in text
        assert "Needs review" not in text


def test_a_title_of_markup_is_shown_as_text(
    followed: Followed, owner: Client, build: Build
) -> None:
    PullRequest.objects.update(title="<script>alert(1)</script>")
    for address in (f"/builds/{build.id}", f"/repositories/{followed.repository.id}"):
        assert "<script>alert" not in read(owner, address)


def test_the_log_tells_which_decisions_were_kept_for_a_new_target(
    followed: Followed, owner: Client
) -> None:
    build = followed.publish({"a": "red", "same": "blue"})
    followed.approve(build)
    followed.host.retarget(NAME, 1, "release")
    followed.deliver()
    assert "kept for the new target" in read(owner, f"/builds/{build.id}")


def test_a_deleted_branch_is_marked_among_the_baselines(followed: Followed, owner: Client) -> None:
    address = f"/repositories/{followed.repository.id}/baselines"
    assert "Branch deleted" not in read(owner, address)
    Baseline.objects.filter(branch="release").update(branch_deleted_at=now())
    assert read(owner, address).count("Branch deleted") == 1


def test_the_source_host_shows_what_its_webhook_brought(followed: Followed, owner: Client) -> None:
    assert "No webhook came in the last 30 days" in read(owner, reverse("source_host"))
    followed.deliver()
    text = read(owner, reverse("source_host"))
    assert "Webhooks arrive" in text
    assert "#1 is open." in text
    followed.account.deliveries.update(outcome="", received_at=now() - timedelta(days=1))
    assert "Waits for its turn." in read(owner, reverse("source_host"))
