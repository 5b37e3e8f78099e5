"""Webhooks of each kind of host are understood, with the host's own signature and shape."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.support.host_accounts import WEBHOOK_SECRET
from tests.support.hosted_world import HostedWorld
from tests.support.hosts.deliveries import PROJECT, PULL_REQUEST, REPOSITORY, merge_request
from tests.support.hosts.github import deliveries as github
from visual_review.hosts.port import HostPullRequest, HostRepository
from visual_review.hosts.signatures import hmac_sha256

Sent = tuple[dict[str, str], bytes]
PULL = HostPullRequest(
    number=7,
    title="Blue buttons",
    state="merged",
    head_branch="blue",
    head_repository="eve/web",
    head_commit="a" * 40,
    base_branch="main",
    merge_commit="c" * 40,
    updated_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
)


def from_github() -> Sent:
    seen = HostRepository("41", "acme/web", "main")
    data = github.payload(
        "pull-request-closed",
        pull_request=github.shown_pull_request(PULL),
        repository=github.shown_repository(seen),
        number=7,
    )
    body = github.encoded(data)
    return github.headers("pull_request", body, WEBHOOK_SECRET), body


def from_gitlab() -> Sent:
    data = merge_request()
    data["project"] = {**PROJECT, "path_with_namespace": "acme/web"}
    return {"X-Gitlab-Event-UUID": "u-1", "X-Gitlab-Token": WEBHOOK_SECRET}, github.encoded(data)


def from_gitea() -> Sent:
    body = github.encoded(
        {
            "action": "closed",
            "number": 7,
            "pull_request": PULL_REQUEST,
            "repository": REPOSITORY,
        }
    )
    return {
        "X-Gitea-Event": "pull_request",
        "X-Gitea-Delivery": "d-1",
        "X-Gitea-Signature": hmac_sha256(body, WEBHOOK_SECRET),
    }, body


@pytest.mark.parametrize(
    ("kind", "send"), [("github", from_github), ("gitlab", from_gitlab), ("gitea", from_gitea)]
)
def test_a_merge_is_understood_as_the_host_sends_it(
    world: HostedWorld, kind: str, send: Callable[[], Sent]
) -> None:
    world.account.kind = kind
    world.account.save()
    world.repository.host_id = "41"
    world.repository.save()
    headers, body = send()
    endpoint = f"/api/webhooks/hosts/{world.account.id}"
    responses = [
        Client().post(endpoint, body, content_type="application/json", headers=headers)
        for _ in range(2)
    ]
    assert [response.status_code for response in responses] == [202, 200], responses[0].content
    world.run_jobs()
    found = world.stored_repository.pull_requests.get(number=7)
    assert (found.title, found.state, found.base_branch) == ("Blue buttons", "merged", "main")
    assert (found.head_repository, found.merge_commit) == ("eve/web", "c" * 40)
    assert world.account.deliveries.get().outcome == "#7 is merged."
    wrong = {name: "0" * len(value) for name, value in headers.items()}
    assert (
        Client().post(endpoint, body, content_type="application/json", headers=wrong).status_code
        == 401
    )


def unknown_to_github() -> Sent:
    body = github.encoded({"action": "frobbed", "repository": {"id": 41}})
    return github.headers("party_thrown", body, WEBHOOK_SECRET), body


def unknown_to_gitlab() -> Sent:
    body = github.encoded({"object_kind": "party", "project": {**PROJECT, "id": 41}})
    return {"X-Gitlab-Event-UUID": "u-2", "X-Gitlab-Token": WEBHOOK_SECRET}, body


def unknown_to_gitea() -> Sent:
    body = github.encoded({"action": "thrown", "repository": REPOSITORY})
    return {
        "X-Gitea-Event": "party",
        "X-Gitea-Delivery": "d-2",
        "X-Gitea-Signature": hmac_sha256(body, WEBHOOK_SECRET),
    }, body


@pytest.mark.parametrize(
    ("kind", "send"),
    [("github", unknown_to_github), ("gitlab", unknown_to_gitlab), ("gitea", unknown_to_gitea)],
)
def test_an_unknown_event_is_ignored_with_a_message_and_leaves_nothing(
    world: HostedWorld, kind: str, send: Callable[[], Sent]
) -> None:
    world.account.kind = kind
    world.account.save()
    headers, body = send()
    endpoint = f"/api/webhooks/hosts/{world.account.id}"
    for _ in range(2):
        response = Client().post(endpoint, body, content_type="application/json", headers=headers)
        assert (response.status_code, response.json()["outcome"]) == (202, "ignored")
        assert "Events of this kind" in response.json()["detail"]
    assert not world.account.deliveries.exists()
    # Signed all the same: a caller without the secret learns nothing.
    wrong = {name: "0" * len(value) for name, value in headers.items()}
    response = Client().post(endpoint, body, content_type="application/json", headers=wrong)
    assert response.status_code == 401
