"""GitLab's adapter over HTTP, against a fake GitLab."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
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
    status,
)
from tests.support.hosts.deliveries import PROJECT, merge_request
from tests.support.hosts.gitlab_server import GitLabServer
from visual_review.hosts.errors import (
    HostAccessError,
    HostMissingError,
    HostResponseError,
    SignatureInvalidError,
)
from visual_review.hosts.gitlab.host import GitLabHost, gitlab_client
from visual_review.hosts.gitlab.webhooks import GitLabWebhookReader
from visual_review.hosts.port import Event, HostGroup, HostRepository, StatusState
from visual_review.hosts.responses import RetryPolicy


@pytest.fixture
def gitlab_server(asgi_server: AsgiServer) -> GitLabServer:
    world = MemoryWorld("memory://gitlab")
    world.add_repository(NAME)
    gitlab_server = GitLabServer(world)
    asgi_server.app = gitlab_server.application()
    return gitlab_server


@pytest.fixture
def adapter(asgi_server: AsgiServer, gitlab_server: GitLabServer) -> Iterator[AdapterUnderTest]:
    retry_policy = RetryPolicy(sleep=lambda _seconds: None)
    host = GitLabHost(gitlab_client(asgi_server.address, TOKEN, retry_policy))
    yield AdapterUnderTest(gitlab_server.world, host)
    host.close()


class TestGitLabHost(HostContract):
    @pytest.mark.parametrize("state", ["pending", "success", "failure", "error"])
    def test_every_state_can_be_set(self, adapter: AdapterUnderTest, state: StatusState) -> None:
        open_pull_request(adapter)
        adapter.host.set_status(NAME, COMMIT, status(state))
        # GitLab does not distinguish a failure from an error.
        shown_status = status("failure" if state == "error" else state)
        assert adapter.world.statuses_of(NAME, COMMIT) == {"visual-review": shown_status}


def test_members_of_groups_are_listed(adapter: AdapterUnderTest) -> None:
    everyone = people(7)
    adapter.world.add_group("groups/1", "company", *everyone)
    adapter.world.add_group("groups/2", "company/design", *everyone[:1])
    groups = list(adapter.host.list_groups())
    assert groups == [HostGroup("groups/1", "company"), HostGroup("groups/2", "company/design")]
    assert members_of(adapter.host, "groups/1") == everyone
    assert members_of(adapter.host, "groups/2") == everyone[:1]


def test_each_new_description_of_a_pending_status_is_shown(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    open_pull_request(adapter)
    shown = []
    for description in ("Uploading", "Comparing", "2 wait for a review", "3 wait for a review"):
        adapter.host.set_status(NAME, COMMIT, replace(status(), description=description))
        shown_status = adapter.world.statuses_of(NAME, COMMIT)["visual-review"]
        shown.append(
            (shown_status.state, shown_status.description, *gitlab_server.set_states.values())
        )
    assert shown == [
        ("pending", "Uploading", "pending"),
        ("pending", "Comparing", "running"),
        ("pending", "2 wait for a review", "pending"),
        ("pending", "3 wait for a review", "running"),
    ]


def test_setting_the_current_state_again_is_not_a_failure(adapter: AdapterUnderTest) -> None:
    open_pull_request(adapter)
    for _ in range(4):
        adapter.host.set_status(NAME, COMMIT, status("pending"))
    adapter.host.set_status(NAME, COMMIT, status("success"))
    assert adapter.world.statuses_of(NAME, COMMIT)["visual-review"].state == "success"


def test_writes_to_a_renamed_project_use_its_id(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    adapter.world.rename_repository(NAME, "acme/team/site")
    added = adapter.host.add_comment(NAME, number, "Under its old name")
    adapter.host.edit_comment(NAME, number, added.id, "Changed")
    adapter.host.set_status(NAME, COMMIT, status())
    assert [one.body for one in adapter.world.comments_of("acme/team/site", number)] == ["Changed"]
    assert len(adapter.world.statuses_of("acme/team/site", COMMIT)) == 1


def test_a_project_in_nested_groups_is_found(adapter: AdapterUnderTest) -> None:
    made = adapter.world.add_repository("acme/team/web")
    assert adapter.host.get_repository("acme/team/web") == made


def test_the_status_of_a_fork_is_set_in_the_fork(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    adapter.host.set_status(NAME, COMMIT, status("success"))
    assert gitlab_server.fork_statuses == [(900, COMMIT, status("success"))]
    assert adapter.world.statuses_of(NAME, COMMIT) == {}


def test_a_fork_that_rejects_a_status_says_what_to_do(
    adapter: AdapterUnderTest, gitlab_server: GitLabServer
) -> None:
    adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
    gitlab_server.closed_forks.add(900)
    with pytest.raises(HostMissingError, match="Developer role in the fork"):
        adapter.host.set_status(NAME, COMMIT, status("success"))


def test_an_empty_project_has_no_default_branch(adapter: AdapterUnderTest) -> None:
    made = adapter.world.add_repository("acme/empty", "")
    assert adapter.host.get_repository("acme/empty") == HostRepository(made.id, "acme/empty", "")


def test_a_comment_of_a_previously_connected_account_is_missing(adapter: AdapterUnderTest) -> None:
    number = open_pull_request(adapter)
    former = adapter.world.write_comment(NAME, number, MARK, author="the old account")
    with pytest.raises(HostMissingError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")
    adapter.world.revoke(TOKEN)
    with pytest.raises(HostAccessError):
        adapter.host.edit_comment(NAME, number, former.id, "Changed")


SECRET = "the secret of a webhook"
KEY = b"32 bytes of a key, in base64....!"
SIGNING_TOKEN = f"whsec_{base64.b64encode(KEY).decode()}"


def read(body: dict[str, Any], **headers: str) -> Event | None:
    given = {"X-Gitlab-Event-UUID": "u-1", **headers}
    return GitLabWebhookReader().parse_event(given, json.dumps(body).encode())


def pull_of(body: dict[str, Any]) -> Any:  # noqa: ANN401 - Narrowed to what is there.
    event = read(body)
    assert event is not None
    assert event.kind == "pull_request"
    assert (event.repository_id, event.full_name) == ("41", "acme/team/web")
    return event.pull_request


def test_a_merged_request_of_a_fork_is_parsed() -> None:
    pull = pull_of(merge_request())
    assert (pull.number, pull.title, pull.state) == (7, "Blue buttons", "merged")
    assert (pull.head_repository, pull.head_branch) == ("eve/web", "blue")
    assert (pull.head_commit, pull.base_branch) == ("a" * 40, "main")
    assert pull.merge_commit == "c" * 40
    assert pull.updated_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("gitlab_state", "state"), [("opened", "open"), ("locked", "open"), ("closed", "closed")]
)
def test_only_a_merged_request_has_a_merge_commit(gitlab_state: str, state: str) -> None:
    pull = pull_of(merge_request(state=gitlab_state))
    assert (pull.state, pull.merge_commit) == (state, "")


def test_a_fast_forward_has_no_merge_commit() -> None:
    assert pull_of(merge_request(merge_commit_sha=None)).merge_commit == ""


def test_the_time_format_of_older_versions_is_parsed() -> None:
    pull = pull_of(merge_request(updated_at="2026-03-01 10:00:00 UTC"))
    assert pull.updated_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_a_deleted_fork_has_no_name() -> None:
    assert pull_of(merge_request(source=None)).head_repository == ""


def test_a_push_to_a_zero_commit_is_a_deleted_branch() -> None:
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
def test_events_of_projects_are_parsed(name: str, kind: str) -> None:
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


def test_irrelevant_events_are_none(case: Case) -> None:
    for kind in ("note", "pipeline", "tag_push", "party", ""):
        with case(repr(kind)):
            assert read({"object_kind": kind}) is None


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"object_kind": "merge_request"}'])
def test_a_malformed_body_is_rejected_with_a_message(body: bytes) -> None:
    with pytest.raises(HostResponseError, match="does not match GitLab's"):
        GitLabWebhookReader().parse_event({}, body)


def test_a_retried_delivery_has_the_same_id() -> None:
    """Each attempt has its own UUID; the idempotency key stays."""
    first = read(merge_request(), **{"Idempotency-Key": "k-1", "X-Gitlab-Event-UUID": "u-1"})
    again = read(merge_request(), **{"Idempotency-Key": "k-1", "X-Gitlab-Event-UUID": "u-2"})
    assert first is not None
    assert first == again


def test_the_secret_token_is_checked() -> None:
    GitLabWebhookReader().verify_signature({"x-gitlab-token": SECRET}, b"{}", SECRET)
    for wrong in ({}, {"X-Gitlab-Token": ""}, {"X-Gitlab-Token": SECRET[:-1]}):
        with pytest.raises(SignatureInvalidError):
            GitLabWebhookReader().verify_signature(wrong, b"{}", SECRET)
    with pytest.raises(SignatureInvalidError):
        GitLabWebhookReader().verify_signature({"X-Gitlab-Token": ""}, b"{}", "")


def signed(key: bytes, body: bytes = b"{}", seconds_ago: int = 0) -> dict[str, str]:
    timestamp = str(int(time.time()) - seconds_ago)
    text = f"w-1.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.digest(key, text, hashlib.sha256)).decode()
    return {
        "webhook-id": "w-1",
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v0,abc v1,{signature}",
    }


@pytest.mark.parametrize(("key", "secret"), [(KEY, SIGNING_TOKEN), (SECRET.encode(), SECRET)])
def test_a_signature_with_the_signing_token_is_accepted(key: bytes, secret: str) -> None:
    GitLabWebhookReader().verify_signature(signed(key), b"{}", secret)


WRONG_SIGNATURES = [
    {"webhook-id": "w-2"},
    {"webhook-timestamp": "1772359201"},
    {"webhook-signature": "v1,"},
    {"webhook-signature": "ß"},
    # A correct token does not make up for a wrong signature.
    {"webhook-signature": "v1,abc", "X-Gitlab-Token": SIGNING_TOKEN},
]


def test_a_changed_signature_is_rejected(case: Case) -> None:
    for change in WRONG_SIGNATURES:
        with case(change), pytest.raises(SignatureInvalidError):
            GitLabWebhookReader().verify_signature({**signed(KEY), **change}, b"{}", SIGNING_TOKEN)


def test_a_changed_body_is_rejected() -> None:
    with pytest.raises(SignatureInvalidError):
        GitLabWebhookReader().verify_signature(signed(KEY), b"{ }", SIGNING_TOKEN)


def test_an_empty_secret_is_never_valid() -> None:
    with pytest.raises(SignatureInvalidError):
        GitLabWebhookReader().verify_signature(signed(b""), b"{}", "")


def test_with_a_signature_the_signed_id_counts() -> None:
    event = read(merge_request(), **{**signed(KEY), "Idempotency-Key": "k-1"})
    assert event is not None
    assert event.delivery_id == "w-1"
