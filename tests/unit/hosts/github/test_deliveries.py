from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.hosts.github.deliveries import (
    REPOSITORY,
    SECRET,
    encoded,
    headers,
    payload,
    shown_pull_request,
    shown_repository,
)
from tests.support.hosts.github.fake_github import DESCRIPTION
from visual_review.hosts.errors import HostResponseError, SignatureInvalidError
from visual_review.hosts.github import GitHubWebhookReader
from visual_review.hosts.port import Event, HostPullRequest, HostRepository

DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
PULL = HostPullRequest(
    number=7,
    title="A blue button",
    state="open",
    head_branch="feature/blue",
    head_repository="eve/web",
    head_commit="a" * 40,
    base_branch="main",
    updated_at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
    # From GitHub's published example.
    description="Please pull these awesome changes in!",
)


def read(event: str, data: object) -> Event | None:
    body = encoded(data)
    return GitHubWebhookReader().parse_event(headers(event, body), body)


def test_the_documented_example_is_accepted() -> None:
    # https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
    signed = {
        "X-Hub-Signature-256": "sha256="
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    }
    GitHubWebhookReader().verify_signature(signed, b"Hello, World!", "It's a Secret to Everybody")


def test_header_names_ignore_case() -> None:
    lower = {key.lower(): value for key, value in headers("ping", b"{}").items()}
    GitHubWebhookReader().verify_signature(lower, b"{}", SECRET)
    assert GitHubWebhookReader().parse_event(lower, b"{}") == Event("ping", DELIVERY)


WRONG_SIGNATURES = [
    None,
    "",
    "sha256=",
    "sha256=" + "0" * 64,
    "sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "ünï",
]


def test_another_signature_is_rejected(case: Case) -> None:
    for signature in WRONG_SIGNATURES:
        with case(signature):
            given = headers("ping", b"{}")
            del given["X-Hub-Signature-256"]
            if signature is not None:
                given["X-Hub-Signature-256"] = signature
            with pytest.raises(SignatureInvalidError):
                GitHubWebhookReader().verify_signature(given, b"{}", SECRET)


def test_a_changed_body_is_rejected() -> None:
    with pytest.raises(SignatureInvalidError):
        GitHubWebhookReader().verify_signature(headers("ping", b"{}"), b"{ }", SECRET)


def test_without_a_secret_nothing_is_accepted() -> None:
    with pytest.raises(SignatureInvalidError):
        GitHubWebhookReader().verify_signature(headers("ping", b"{}", secret=""), b"{}", "")


@pytest.mark.parametrize("action", ["opened", "edited", "closed"])
def test_a_pull_request_is_reported(action: str) -> None:
    more: dict[str, Any] = {"changes": {"base": {"ref": {"from": "old"}, "sha": {"from": "b"}}}}
    data = payload(
        f"pull-request-{action}",
        number=7,
        pull_request=shown_pull_request(PULL),
        **(more if action == "edited" else {}),
    )
    assert read("pull_request", data) == Event(
        "pull_request", DELIVERY, REPOSITORY.id, REPOSITORY.full_name, pull_request=PULL
    )


@pytest.mark.parametrize("action", ["reopened", "synchronize"])
def test_an_updated_pull_request_is_reported(action: str) -> None:
    data = {
        "action": action,
        "repository": shown_repository(REPOSITORY),
        "pull_request": shown_pull_request(PULL),
    }
    found = read("pull_request", data)
    assert found is not None
    assert found.pull_request == PULL


def test_a_merge_is_reported_with_its_commit() -> None:
    merged = replace(PULL, state="merged", merge_commit="c" * 40)
    data = payload("pull-request-closed", number=7, pull_request=shown_pull_request(merged))
    found = read("pull_request", data)
    assert found is not None
    assert found.pull_request == merged


def test_a_deleted_fork_has_no_name() -> None:
    orphan = replace(PULL, head_repository="", state="closed")
    # GitHub sends null here, although GitHub's API description does not allow null.
    data = {
        "action": "closed",
        "repository": shown_repository(REPOSITORY),
        "pull_request": shown_pull_request(orphan),
    }
    found = read("pull_request", data)
    assert found is not None
    assert found.pull_request == orphan


def test_a_new_title_alone_does_not_matter() -> None:
    changes = {"title": {"from": "A red button"}}
    data = payload(
        "pull-request-edited", number=7, pull_request=shown_pull_request(PULL), changes=changes
    )
    assert read("pull_request", data) is None


@pytest.mark.parametrize("action", ["labeled", "assigned", "locked", "converted_to_draft"])
def test_other_actions_of_pull_requests_do_not_matter(action: str) -> None:
    repository = shown_repository(REPOSITORY)
    data = {"action": action, "repository": repository, "pull_request": shown_pull_request(PULL)}
    assert read("pull_request", data) is None


@pytest.mark.parametrize("kind", ["branch", "tag"])
def test_a_branch_that_is_deleted_is_reported_and_a_tag_is_not(kind: str) -> None:
    data = payload("delete", ref="feature/blue", ref_type=kind, pusher_type="user")
    event = Event("branch_deleted", DELIVERY, "1296269", "acme/web", branch="feature/blue")
    assert read("delete", data) == (event if kind == "branch" else None)


@pytest.mark.parametrize(
    ("action", "kind", "changes"),
    [
        ("renamed", "repository_renamed", {"repository": {"name": {"from": "old"}}}),
        (
            "transferred",
            "repository_transferred",
            {"owner": {"from": {"user": DESCRIPTION.example("GET /user/repos")[0]["owner"]}}},
        ),
        ("deleted", "repository_removed", None),
    ],
)
def test_what_happens_to_a_repository_is_reported(
    action: str, kind: str, changes: dict[str, object] | None
) -> None:
    more = {"changes": changes} if changes else {}
    data = payload(f"repository-{action}", **more)
    found = read("repository", data)
    assert found is not None
    assert (found.kind, found.repository_id, found.full_name) == (kind, "1296269", "acme/web")


@pytest.mark.parametrize("action", ["archived", "edited", "publicized"])
def test_other_actions_of_repositories_do_not_matter(action: str) -> None:
    data = {"action": action, "repository": shown_repository(REPOSITORY)}
    assert read("repository", data) is None


@pytest.mark.parametrize(
    ("action", "found"), [("deleted", True), ("suspend", True), ("created", False)]
)
def test_an_app_that_is_removed_is_reported(action: str, found: bool) -> None:  # noqa: FBT001 - A row of the table.
    event = Event("account_removed", DELIVERY)
    data = {"action": action, "installation": {"id": 2, "account": {"login": "acme"}}}
    assert read("installation", data) == (event if found else None)


@pytest.mark.parametrize("event", ["push", "star", "a_kind_of_next_year"])
def test_events_of_other_kinds_do_not_matter(event: str) -> None:
    assert read(event, {"anything": "at all"}) is None


@pytest.mark.parametrize(
    ("event", "data"),
    [
        ("pull_request", {"action": "opened"}),
        ("pull_request", []),
        ("delete", {"ref": 7}),
        ("repository", {"action": "renamed", "repository": {"id": "x", "full_name": "a/b"}}),
    ],
)
def test_a_malformed_delivery_is_an_error(event: str, data: object) -> None:
    with pytest.raises(HostResponseError):
        read(event, data)


def test_form_data_is_rejected_with_what_to_change() -> None:
    given = headers("pull_request", b"payload=%7B%7D")
    given["Content-Type"] = "application/x-www-form-urlencoded"
    with pytest.raises(HostResponseError, match="application/json"):
        GitHubWebhookReader().parse_event(given, b"payload=%7B%7D")


@pytest.mark.parametrize("missing", ["X-GitHub-Delivery", "X-GitHub-Event"])
def test_a_delivery_without_its_headers_is_an_error(missing: str) -> None:
    given = headers("ping", b"{}")
    del given[missing]
    with pytest.raises(HostResponseError, match="X-GitHub-Delivery"):
        GitHubWebhookReader().parse_event(given, b"{}")


def test_a_repository_is_named_as_it_is_after_the_event() -> None:
    moved = shown_repository(HostRepository("1296269", "globex/site", "main"))
    changes = {"repository": {"name": {"from": "web"}}}
    found = read("repository", payload("repository-renamed", repository=moved, changes=changes))
    assert found is not None
    assert found.full_name == "globex/site"
