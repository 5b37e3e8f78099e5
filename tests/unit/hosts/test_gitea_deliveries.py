"""Deliveries as Gitea and Forgejo send them, built from the payloads of their webhook pages."""

import json
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.hosts.gitea_deliveries import HEAD, PULL_REQUEST, REPOSITORY
from visual_review.hosts.errors import HostResponseError, SignatureInvalidError
from visual_review.hosts.gitea.webhooks import GiteaDeliveries
from visual_review.hosts.signatures import hmac_sha256

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
def test_a_merged_pull_request_of_a_fork_is_read(brand: str) -> None:
    body = {"action": "closed", "number": 7, "pull_request": PULL_REQUEST, "repository": REPOSITORY}
    headers, data = delivery("pull_request", body, brand)
    GiteaDeliveries().check(headers, data, SECRET)
    event = GiteaDeliveries().read(headers, data)
    assert event is not None
    assert (event.kind, event.delivery_id) == ("pull_request", "d-1")
    assert (event.repository_id, event.full_name) == ("41", "acme/web")
    pull = event.pull_request
    assert pull is not None
    assert (pull.number, pull.state, pull.merge_commit) == (7, "merged", "c" * 40)
    assert (pull.head_repository, pull.head_branch, pull.base_branch) == ("eve/web", "blue", "main")


def test_a_fork_that_is_gone_has_no_name() -> None:
    head = {**HEAD, "repo": None}
    body = {"pull_request": {**PULL_REQUEST, "head": head}, "repository": REPOSITORY}
    event = GiteaDeliveries().read(*delivery("pull_request", body))
    assert event is not None
    assert event.pull_request is not None
    assert event.pull_request.head_repository == ""


def test_a_deleted_branch_is_read_and_a_deleted_tag_is_not() -> None:
    body = {"ref": "blue", "ref_type": "branch", "pusher_type": "user", "repository": REPOSITORY}
    event = GiteaDeliveries().read(*delivery("delete", body))
    assert event is not None
    assert (event.kind, event.branch) == ("branch_deleted", "blue")
    assert GiteaDeliveries().read(*delivery("delete", {**body, "ref_type": "tag"})) is None


def test_a_removed_repository_is_read_and_a_created_one_is_not() -> None:
    removed = {"action": "deleted", "repository": REPOSITORY}
    event = GiteaDeliveries().read(*delivery("repository", removed))
    assert event is not None
    assert (event.kind, event.repository_id) == ("repository_removed", "41")
    created = {"action": "created", "repository": REPOSITORY}
    assert GiteaDeliveries().read(*delivery("repository", created)) is None


def test_events_that_do_not_matter_are_none(case: Case) -> None:
    for event in ("push", "issue_comment", "pull_request_approved", "party", ""):
        with case(repr(event)):
            assert GiteaDeliveries().read(*delivery(event, {"anything": "at all"})) is None


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"pull_request": {"number": "seven"}}'])
def test_a_body_of_another_shape_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(HostResponseError, match="not shaped as Gitea's"):
        GiteaDeliveries().read({"X-Gitea-Event": "pull_request"}, body)


WRONG_SIGNATURES = [
    {},
    {"X-Gitea-Signature": ""},
    {"X-Gitea-Signature": hmac_sha256(b"{}", "another secret")},
    {"X-Gitea-Signature": hmac_sha256(b"{ }", SECRET)},
    {"X-Gitea-Signature": "ß"},
]


def test_a_delivery_that_is_not_signed_with_the_secret_is_refused(case: Case) -> None:
    for headers in WRONG_SIGNATURES:
        with case(headers), pytest.raises(SignatureInvalidError):
            GiteaDeliveries().check(headers, b"{}", SECRET)


def test_no_secret_signs_nothing() -> None:
    with pytest.raises(SignatureInvalidError):
        GiteaDeliveries().check({"X-Gitea-Signature": hmac_sha256(b"{}", "")}, b"{}", "")


def test_a_delivery_without_an_id_is_known_by_its_content() -> None:
    body = json.dumps({"action": "deleted", "repository": REPOSITORY}).encode()
    first, second = (
        GiteaDeliveries().read({"x-gitea-event": "repository"}, body + more) for more in (b"", b" ")
    )
    assert first is not None
    assert second is not None
    assert first.delivery_id != second.delivery_id
