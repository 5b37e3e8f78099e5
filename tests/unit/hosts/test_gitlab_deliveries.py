"""Deliveries as GitLab sends them, built from its pages on webhook events and system hooks."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.hosts.gitlab_deliveries import PROJECT, merge_request
from visual_review.hosts.errors import HostResponseError, SignatureInvalidError
from visual_review.hosts.gitlab.webhooks import GitLabDeliveries
from visual_review.hosts.port import Event

SECRET = "the secret of a webhook"
KEY = b"32 bytes of a key, in base64....!"
SIGNING_TOKEN = f"whsec_{base64.b64encode(KEY).decode()}"


def read(body: dict[str, Any], **headers: str) -> Event | None:
    given = {"X-Gitlab-Event-UUID": "u-1", **headers}
    return GitLabDeliveries().read(given, json.dumps(body).encode())


def pull_of(body: dict[str, Any]) -> Any:  # noqa: ANN401 - Narrowed to what is there.
    event = read(body)
    assert event is not None
    assert event.kind == "pull_request"
    assert (event.repository_id, event.full_name) == ("41", "acme/team/web")
    return event.pull_request


def test_a_merged_request_of_a_fork_is_read() -> None:
    pull = pull_of(merge_request())
    assert (pull.number, pull.title, pull.state) == (7, "Blue buttons", "merged")
    assert (pull.head_repository, pull.head_branch) == ("eve/web", "blue")
    assert (pull.head_commit, pull.base_branch) == ("a" * 40, "main")
    assert pull.merge_commit == "c" * 40
    assert pull.updated_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "state"), [("opened", "open"), ("locked", "open"), ("closed", "closed")]
)
def test_only_a_merged_request_names_a_commit_on_its_target(told: str, state: str) -> None:
    pull = pull_of(merge_request(state=told))
    assert (pull.state, pull.merge_commit) == (state, "")


def test_a_fast_forward_names_no_commit() -> None:
    assert pull_of(merge_request(merge_commit_sha=None)).merge_commit == ""


def test_the_time_of_older_versions_is_read() -> None:
    pull = pull_of(merge_request(updated_at="2026-03-01 10:00:00 UTC"))
    assert pull.updated_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_a_fork_that_is_gone_has_no_name() -> None:
    assert pull_of(merge_request(source=None)).head_repository == ""


def test_a_push_of_nothing_deletes_the_branch() -> None:
    push = {"object_kind": "push", "event_name": "push", "project": PROJECT, "project_id": 41}
    deleted = {**push, "before": "a" * 40, "after": "0" * 40, "ref": "refs/heads/fix/blue"}
    event = read(deleted)
    assert event is not None
    assert (event.kind, event.branch) == ("branch_deleted", "fix/blue")
    assert read({**deleted, "after": "b" * 40}) is None
    assert read({**deleted, "ref": "refs/tags/v1"}) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("project_rename", "repository_renamed"),
        ("project_transfer", "repository_transferred"),
        ("project_destroy", "repository_removed"),
    ],
)
def test_projects_that_move_or_go_are_read(name: str, kind: str) -> None:
    event = read(
        {
            "event_name": name,
            "name": "site",
            "path_with_namespace": "globex/site",
            "old_path_with_namespace": "acme/team/web",
            "project_id": 41,
        }
    )
    assert event is not None
    assert (event.kind, event.repository_id, event.full_name) == (kind, "41", "globex/site")


def test_events_that_do_not_matter_are_none(case: Case) -> None:
    for kind in ("note", "pipeline", "tag_push", "party", ""):
        with case(repr(kind)):
            assert read({"object_kind": kind}) is None


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"object_kind": "merge_request"}'])
def test_a_body_of_another_shape_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(HostResponseError, match="not shaped as GitLab's"):
        GitLabDeliveries().read({}, body)


def test_an_attempt_again_has_the_same_id() -> None:
    """Each attempt has a UUID of its own; the key stays."""
    first = read(merge_request(), **{"Idempotency-Key": "k-1", "X-Gitlab-Event-UUID": "u-1"})
    again = read(merge_request(), **{"Idempotency-Key": "k-1", "X-Gitlab-Event-UUID": "u-2"})
    assert first is not None
    assert first == again


def test_the_secret_token_is_checked() -> None:
    GitLabDeliveries().check({"x-gitlab-token": SECRET}, b"{}", SECRET)
    for wrong in ({}, {"X-Gitlab-Token": ""}, {"X-Gitlab-Token": SECRET[:-1]}):
        with pytest.raises(SignatureInvalidError):
            GitLabDeliveries().check(wrong, b"{}", SECRET)
    with pytest.raises(SignatureInvalidError):
        GitLabDeliveries().check({"X-Gitlab-Token": ""}, b"{}", "")


def signed(key: bytes, body: bytes = b"{}") -> dict[str, str]:
    text = b"w-1.1772359200." + body
    signature = base64.b64encode(hmac.digest(key, text, hashlib.sha256)).decode()
    return {
        "webhook-id": "w-1",
        "webhook-timestamp": "1772359200",
        "webhook-signature": f"v0,abc v1,{signature}",
    }


@pytest.mark.parametrize(("key", "secret"), [(KEY, SIGNING_TOKEN), (SECRET.encode(), SECRET)])
def test_a_signature_with_the_signing_token_is_taken(key: bytes, secret: str) -> None:
    GitLabDeliveries().check(signed(key), b"{}", secret)


WRONG_SIGNATURES = [
    {"webhook-id": "w-2"},
    {"webhook-timestamp": "1772359201"},
    {"webhook-signature": "v1,"},
    {"webhook-signature": "ß"},
    # A token beside a wrong signature is no way around it.
    {"webhook-signature": "v1,abc", "X-Gitlab-Token": SIGNING_TOKEN},
]


def test_a_changed_signature_is_refused(case: Case) -> None:
    for change in WRONG_SIGNATURES:
        with case(change), pytest.raises(SignatureInvalidError):
            GitLabDeliveries().check({**signed(KEY), **change}, b"{}", SIGNING_TOKEN)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(SignatureInvalidError):
        GitLabDeliveries().check(signed(KEY), b"{ }", SIGNING_TOKEN)


def test_no_secret_signs_nothing() -> None:
    with pytest.raises(SignatureInvalidError):
        GitLabDeliveries().check(signed(b""), b"{}", "")


def test_behind_a_signature_the_signed_id_counts() -> None:
    event = read(merge_request(), **{**signed(KEY), "Idempotency-Key": "k-1"})
    assert event is not None
    assert event.delivery_id == "w-1"
