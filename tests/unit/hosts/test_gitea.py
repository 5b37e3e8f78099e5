"""Gitea's adapter over HTTP, against the local host, which responds like Gitea."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from scripts.local_host.app import create_application
from scripts.local_host.memory import MemoryWorld

from tests.support.case import Case
from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest, AsgiServer
from tests.support.hosts.contract import (
    COMMIT,
    MARK,
    HostContract,
    members_of,
    open_pull_request,
    people,
)
from tests.support.hosts.deliveries import HEAD, PULL_REQUEST, REPOSITORY
from visual_review.hosts.errors import (
    HostAccessError,
    HostMissingError,
    HostResponseError,
    SignatureInvalidError,
)
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.gitea.webhooks import GiteaWebhookReader
from visual_review.hosts.port import HostGroup
from visual_review.hosts.responses import RetryPolicy
from visual_review.hosts.signatures import hmac_sha256

# Smaller than the lists of the contract, so that each has several pages.
PAGE = 3


@pytest.fixture
def adapter(asgi_server: AsgiServer) -> Iterator[AdapterUnderTest]:
    world = MemoryWorld("memory://gitea")
    world.add_repository(NAME)
    asgi_server.app = create_application(asgi_server.address, world, PAGE)
    retry_policy = RetryPolicy(sleep=lambda _seconds: None)
    host = GiteaHost(gitea_client(asgi_server.address, TOKEN, retry_policy))
    yield AdapterUnderTest(world, host)
    host.close()


class TestGiteaHost(HostContract):
    pass


def test_members_of_organizations_and_teams_are_listed(adapter: AdapterUnderTest) -> None:
    everyone = people(2 * PAGE + 1)
    adapter.world.add_group("orgs/acme", "acme", *everyone)
    adapter.world.add_group("teams/7", "acme/design", *everyone[:2])
    groups = list(adapter.host.list_groups())
    assert groups == [HostGroup("orgs/acme", "acme"), HostGroup("teams/7", "acme/design")]
    assert members_of(adapter.host, "orgs/acme") == everyone
    assert members_of(adapter.host, "teams/7") == everyone[:2]


def test_a_status_and_a_comment_reach_a_renamed_repository(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    adapter.world.rename_repository(NAME, "acme/site")
    adapter.host.add_comment(NAME, number, "Under its old name")
    assert len(adapter.world.comments_of("acme/site", number)) == 1


def test_an_earlier_commit_of_a_pull_request_is_found(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    for place in range(PAGE + 1):
        adapter.world.push(NAME, number, f"{place:040x}")
    assert adapter.host.find_pull_requests(NAME, COMMIT) == [number]


def test_a_name_with_three_parts_is_rejected_without_a_call(adapter: AdapterUnderTest) -> None:
    with pytest.raises(HostMissingError, match="owner/name"):
        adapter.host.get_repository("acme/team/web")


def test_a_comment_of_a_previously_connected_account_is_missing(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    former = adapter.world.write_comment(NAME, number, MARK, author="the old account")
    with pytest.raises(HostMissingError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
    adapter.world.revoke(TOKEN)
    with pytest.raises(HostAccessError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")


SECRET = "the secret of a webhook"


def delivery(
    event: str, body: dict[str, Any], brand: str = "Gitea"
) -> tuple[dict[str, str], bytes]:
    data = json.dumps(body).encode()
    return {
        f"X-{brand}-Event": event,
        f"X-{brand}-Delivery": "d-1",
        f"X-{brand}-Signature": hmac_sha256(data, SECRET),
    }, data


@pytest.mark.parametrize("brand", ["Gitea", "Forgejo"])
def test_a_merged_pull_request_of_a_fork_is_parsed(brand: str) -> None:
    body = {"action": "closed", "number": 7, "pull_request": PULL_REQUEST, "repository": REPOSITORY}
    headers, data = delivery("pull_request", body, brand)
    GiteaWebhookReader().verify_signature(headers, data, SECRET)
    event = GiteaWebhookReader().parse_event(headers, data)
    assert event is not None
    assert (event.kind, event.delivery_id) == ("pull_request", "d-1")
    assert (event.repository_id, event.full_name) == ("41", "acme/web")
    pull = event.pull_request
    assert pull is not None
    assert (pull.number, pull.state, pull.merge_commit) == (7, "merged", "c" * 40)
    assert (pull.head_repository, pull.head_branch, pull.base_branch) == ("eve/web", "blue", "main")


def test_a_deleted_fork_has_no_name() -> None:
    head = {**HEAD, "repo": None}
    body = {"pull_request": {**PULL_REQUEST, "head": head}, "repository": REPOSITORY}
    event = GiteaWebhookReader().parse_event(*delivery("pull_request", body))
    assert event is not None
    assert event.pull_request is not None
    assert event.pull_request.head_repository == ""


def test_a_deleted_branch_is_reported_and_a_deleted_tag_is_not() -> None:
    body = {"ref": "blue", "ref_type": "branch", "pusher_type": "user", "repository": REPOSITORY}
    event = GiteaWebhookReader().parse_event(*delivery("delete", body))
    assert event is not None
    assert (event.kind, event.branch) == ("branch_deleted", "blue")
    assert (
        GiteaWebhookReader().parse_event(*delivery("delete", {**body, "ref_type": "tag"})) is None
    )


def test_a_removed_repository_is_reported_and_a_created_one_is_not() -> None:
    removed = {"action": "deleted", "repository": REPOSITORY}
    event = GiteaWebhookReader().parse_event(*delivery("repository", removed))
    assert event is not None
    assert (event.kind, event.repository_id) == ("repository_removed", "41")
    created = {"action": "created", "repository": REPOSITORY}
    assert GiteaWebhookReader().parse_event(*delivery("repository", created)) is None


def test_irrelevant_events_are_none(case: Case) -> None:
    for event in ("push", "issue_comment", "pull_request_approved", "party", ""):
        with case(repr(event)):
            assert (
                GiteaWebhookReader().parse_event(*delivery(event, {"anything": "at all"})) is None
            )


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"pull_request": {"number": "seven"}}'])
def test_a_malformed_body_is_rejected_with_a_message(body: bytes) -> None:
    with pytest.raises(HostResponseError, match="does not match Gitea's"):
        GiteaWebhookReader().parse_event({"X-Gitea-Event": "pull_request"}, body)


WRONG_SIGNATURES = [
    {},
    {"X-Gitea-Signature": ""},
    {"X-Gitea-Signature": hmac_sha256(b"{}", "another secret")},
    {"X-Gitea-Signature": hmac_sha256(b"{ }", SECRET)},
    {"X-Gitea-Signature": "ß"},
]


def test_a_delivery_with_another_secret_is_rejected(case: Case) -> None:
    for headers in WRONG_SIGNATURES:
        with case(headers), pytest.raises(SignatureInvalidError):
            GiteaWebhookReader().verify_signature(headers, b"{}", SECRET)


def test_an_empty_secret_is_never_valid() -> None:
    with pytest.raises(SignatureInvalidError):
        GiteaWebhookReader().verify_signature(
            {"X-Gitea-Signature": hmac_sha256(b"{}", "")}, b"{}", ""
        )


def test_a_delivery_without_an_id_is_identified_by_its_content() -> None:
    body = json.dumps({"action": "deleted", "repository": REPOSITORY}).encode()
    first, second = (
        GiteaWebhookReader().parse_event({"x-gitea-event": "repository"}, body + more)
        for more in (b"", b" ")
    )
    assert first is not None
    assert second is not None
    assert first.delivery_id != second.delivery_id
