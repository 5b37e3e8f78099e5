"""Pull requests and received webhooks on pages."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.hosted_world import NAME, HostedWorld, world_with_pull_request
from tests.support.personas import Personas
from visual_review.builds.models import Baseline, Build, PullRequest
from visual_review.kernel.clock import now
from visual_review.repositories.models import Repository


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    return world_with_pull_request(personas.bob)


def read(client: Client, url: str) -> str:
    return " ".join(client.get(url).content.decode().split())


@pytest.fixture
def build(world: HostedWorld) -> Build:
    found = world.publish_change({"a": "blue", "same": "white"})
    world.deliver_webhooks()
    return found


def test_a_build_and_the_list_show_title_base_branch_and_state(
    world: HostedWorld, owner: Client, build: Build
) -> None:
    listed = f"/repositories/{world.repository.id}"
    pages = [f"/builds/{build.id}", listed]
    for url in pages:
        text = read(owner, url)
        assert "Buttons" in text
        assert "into" in text
    assert "Needs review" in read(owner, listed)
    world.host.close_pull_request(NAME, 1)
    world.deliver_webhooks()
    for url in pages:
        assert ">Closed<" in read(owner, url)
    text = read(owner, listed)
    assert "Not reviewed" in text
    assert "Needs review" not in text


def test_a_title_with_markup_is_escaped(world: HostedWorld, owner: Client, build: Build) -> None:
    PullRequest.objects.update(title="<script>alert(1)</script>")
    for url in (f"/builds/{build.id}", f"/repositories/{world.repository.id}"):
        assert "<script>alert" not in read(owner, url)


def test_the_log_names_the_decisions_kept_after_the_base_branch_changed(
    world: HostedWorld, owner: Client
) -> None:
    build = world.publish_change({"a": "red", "same": "blue"})
    world.approve(build)
    world.host.change_base_branch(NAME, 1, "release")
    world.deliver_webhooks()
    assert '"source":"retargeted"' in read(owner, f"/builds/{build.id}/log.json")


def test_a_deleted_branch_is_marked_among_the_baselines(world: HostedWorld, owner: Client) -> None:
    url = f"/repositories/{world.repository.id}/baselines"
    assert "Branch deleted" not in read(owner, url)
    deleted_at = datetime(2026, 5, 20, tzinfo=UTC)
    Baseline.objects.update(branch_deleted_at=deleted_at)
    release = Baseline.objects.get(branch="release")
    for page in (url, f"/baselines/{release.id}", f"/baselines/{release.id}/versions/1"):
        assert "kept until" not in read(owner, page)
    Repository.objects.update(keep_builds_days=30)
    # The default branch's baseline is always kept.
    assert read(owner, url).count("Branch deleted") == 2
    assert read(owner, url).count("kept until 19 Jun 2026") == 1
    for page in (f"/baselines/{release.id}", f"/baselines/{release.id}/versions/1"):
        assert "Its baseline is kept until 19 Jun 2026" in read(owner, page)


def test_the_page_of_the_git_provider_shows_its_last_webhook(
    world: HostedWorld, owner: Client
) -> None:
    assert "No webhooks arrived in the last 30 days" in read(owner, reverse("source_host"))
    world.deliver_webhooks()
    text = read(owner, reverse("source_host"))
    assert "Webhooks are arriving" in text
    assert "#1 is open." in text
    world.account.deliveries.update(outcome="", received_at=now() - timedelta(days=1))
    assert "Waiting to be processed." in read(owner, reverse("source_host"))
