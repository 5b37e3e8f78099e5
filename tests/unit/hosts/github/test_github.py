"""GitHub specifics: tokens of an app, redirects of old names, limits of a status."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest

from tests.support.case import Case
from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from tests.support.hosts.contract import COMMIT, HostContract, open_pull_request, status
from tests.support.hosts.github.fake_github import DESCRIPTION, ROOT
from tests.support.hosts.github.fake_service import (
    TOKEN_CREDENTIALS,
    GitHubAdapter,
    app_credentials,
    github_adapter,
)
from tests.support.hosts.local_server import ReceivedRequest, Reply, local_server, reply
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.github import github_api_url, open_github
from visual_review.hosts.port import HostStatus
from visual_review.hosts.responses import RetryPolicy
from visual_review.kernel.clock import now

NO_PAUSES = RetryPolicy(sleep=lambda _: None)


@pytest.fixture
def adapter() -> Iterator[GitHubAdapter]:
    with github_adapter(TOKEN_CREDENTIALS) as created:
        yield created


@pytest.fixture
def github_app() -> Iterator[GitHubAdapter]:
    with github_adapter(app_credentials()) as created:
        yield created


@pytest.mark.parametrize(
    ("url", "api_url"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://acme.ghe.com/", "https://api.acme.ghe.com"),
        ("https://code.acme.test", "https://code.acme.test/api/v3"),
        ("https://notgithub.com", "https://notgithub.com/api/v3"),
    ],
)
def test_the_api_url_is_derived_from_the_url_of_the_pages(url: str, api_url: str) -> None:
    assert github_api_url(url) == api_url


def test_every_call_sends_the_api_version(adapter: GitHubAdapter) -> None:
    adapter.host.get_repository(NAME)
    sent = adapter.server.requests[0].headers
    assert sent["accept"] == "application/vnd.github+json"
    assert sent["x-github-api-version"] == "2022-11-28"
    assert sent["authorization"] == f"Bearer {TOKEN}"


def test_reads_and_writes_follow_a_repository_that_was_renamed(adapter: GitHubAdapter) -> None:
    number = open_pull_request(adapter)
    adapter.world.rename_repository(NAME, "acme/site")
    adapter.host.set_status(NAME, COMMIT, status())
    adapter.host.add_comment(NAME, number, "One change")
    assert adapter.host.get_pull_request(NAME, number).number == number
    assert [one.number for one in adapter.host.list_open_pull_requests(NAME)] == [number]
    assert len(adapter.world.comments_of("acme/site", number)) == 1
    assert adapter.world.statuses_of("acme/site", COMMIT) == {"visual-review": status()}


def test_a_long_description_of_a_status_is_truncated(adapter: GitHubAdapter) -> None:
    open_pull_request(adapter)
    long = HostStatus("visual-review", "pending", "ä" * 300, "https://review.test/b/1")
    adapter.host.set_status(NAME, COMMIT, long)
    description = adapter.world.statuses_of(NAME, COMMIT)["visual-review"].description
    assert description == "ä" * 139 + "…"


def test_a_status_of_an_unknown_commit_is_missing(adapter: GitHubAdapter) -> None:
    with pytest.raises(HostMissingError, match=r"f{40}"):
        adapter.host.set_status(NAME, "f" * 40, status())


def test_a_status_is_retried_after_a_lost_response(adapter: GitHubAdapter) -> None:
    open_pull_request(adapter)
    adapter.world.add_fault("busy", "set_status", times=1, response_lost=True)
    adapter.host.set_status(NAME, COMMIT, status())
    assert adapter.world.statuses_of(NAME, COMMIT) == {"visual-review": status()}


def test_every_status_is_set_once_when_every_third_call_fails(adapter: GitHubAdapter) -> None:
    open_pull_request(adapter)
    adapter.world.add_fault("busy", every=3)
    contexts = [f"visual-review/product-{number}" for number in range(6)]
    for context in contexts:
        adapter.host.set_status(NAME, COMMIT, status("success", context))
    adapter.world.clear_faults()
    assert sorted(adapter.world.statuses_of(NAME, COMMIT)) == contexts
    assert adapter.world.calls("set_status")[2].failure == "HostBusyError"


def test_an_invalid_repository_name_is_missing(case: Case, adapter: GitHubAdapter) -> None:
    for name in ("web", "acme/", "/web", "acme/web/more", "../web", "acme/.."):
        with case(name), pytest.raises(HostMissingError):
            adapter.host.get_repository(name)


def test_a_deleted_fork_has_no_name() -> None:
    pull = DESCRIPTION.example("GET /repos/{owner}/{repo}/pulls/{pull_number}")
    # GitHub sends null here, although GitHub's API description does not allow null.
    pull["head"]["repo"] = None
    with (
        local_server(lambda _: reply(pull)) as server,
        closing(open_github(server.address, TOKEN_CREDENTIALS)) as host,
    ):
        assert host.get_pull_request(NAME, 1).head_repository == ""


def test_comments_of_a_deleted_account_are_not_ours() -> None:
    def handle(request: ReceivedRequest) -> Reply:
        if request.path == f"{ROOT}/user":
            return reply({"login": "ours"})
        written = {"id": 1, "body": "mark", "user": None}
        return reply([written, {"id": 2, "body": None, "user": {"login": "ours"}}])

    with (
        local_server(handle) as server,
        closing(open_github(server.address, TOKEN_CREDENTIALS)) as host,
    ):
        assert host.find_comment(NAME, 1, "mark") is None


def test_a_comment_of_a_previously_connected_account_is_missing() -> None:
    refused = {"message": "Resource not accessible by personal access token"}

    def handle(request: ReceivedRequest) -> Reply:
        return reply({"login": "ours"}) if request.path == f"{ROOT}/user" else reply(refused, 403)

    with (
        local_server(handle) as server,
        closing(open_github(server.address, TOKEN_CREDENTIALS)) as host,
        pytest.raises(HostMissingError, match="not accessible"),
    ):
        host.edit_comment(NAME, 1, "7", "body")


def test_an_app_requests_one_token_for_all_its_calls(github_app: GitHubAdapter) -> None:
    for _ in range(3):
        with closing(open_github(github_app.server.address, app_credentials(), NO_PAUSES)) as host:
            host.get_repository(NAME)
            list(host.list_repositories())
    assert github_app.fake_github.tokens_created == 1


def test_a_token_is_renewed_before_it_expires() -> None:
    ends, given = timedelta(minutes=4), []

    def handle(request: ReceivedRequest) -> Reply:
        if request.path.endswith("/access_tokens"):
            given.append(f"ghs_{len(given)}")
            return reply({"token": given[-1], "expires_at": (now() + ends).isoformat()}, 201)
        assert request.headers["authorization"] == f"Bearer {given[-1]}"
        return reply({"id": 1, "full_name": NAME, "default_branch": "main"})

    with (
        local_server(handle) as server,
        closing(open_github(server.address, app_credentials(), NO_PAUSES)) as host,
    ):
        host.get_repository(NAME)
        host.get_repository(NAME)
        assert len(given) == 2
        ends = timedelta(hours=1)
        host.get_repository(NAME)
        host.get_repository(NAME)
        assert len(given) == 3


def test_a_rejected_token_is_renewed_once_also_for_writes() -> None:
    given: list[str] = []
    known = {"ghs_1"}

    def handle(request: ReceivedRequest) -> Reply:
        if request.path.endswith("/access_tokens"):
            given.append(f"ghs_{len(given)}")
            ends = (now() + timedelta(hours=1)).isoformat()
            return reply({"token": given[-1], "expires_at": ends}, 201)
        if request.headers["authorization"].removeprefix("Bearer ") not in known:
            return reply({"message": "Bad credentials"}, 401)
        return reply({"id": 5, "body": "Hello"}, 201)

    with (
        local_server(handle) as server,
        closing(open_github(server.address, app_credentials(), NO_PAUSES)) as host,
    ):
        assert host.add_comment(NAME, 1, "Hello").id == "5"
        assert given == ["ghs_0", "ghs_1"]
        known.clear()
        with pytest.raises(HostAccessError):
            host.add_comment(NAME, 1, "Hello")
        assert given == ["ghs_0", "ghs_1", "ghs_2"]


def test_an_uninstalled_app_is_an_error_with_a_message(github_app: GitHubAdapter) -> None:
    gone = {**app_credentials(), "installation_id": "9"}
    with (
        closing(open_github(github_app.server.address, gone, NO_PAUSES)) as host,
        pytest.raises(HostAccessError, match="no installation 9"),
    ):
        host.get_repository(NAME)


def test_an_app_that_is_not_installed_or_suspended_cannot_be_connected(
    github_app: GitHubAdapter,
) -> None:
    gone = {**app_credentials(), "installation_id": "9"}
    with (
        closing(open_github(github_app.server.address, gone, NO_PAUSES)) as host,
        pytest.raises(HostAccessError, match="no installation 9"),
    ):
        host.get_identity()
    github_app.fake_github.suspended = True
    with pytest.raises(HostAccessError, match="suspended"):
        github_app.host.get_identity()


def test_a_failed_token_request_is_a_busy_error() -> None:
    with (
        local_server(lambda _: reply({}, 502)) as server,
        closing(open_github(server.address, app_credentials(), NO_PAUSES)) as host,
        pytest.raises(HostBusyError),
    ):
        host.get_repository(NAME)


def test_a_token_with_an_invalid_expiry_is_a_response_error() -> None:
    with (
        local_server(lambda _: reply({"token": "x", "expires_at": "soon"}, 201)) as server,
        closing(open_github(server.address, app_credentials(), NO_PAUSES)) as host,
        pytest.raises(HostResponseError, match="expires_at"),
    ):
        host.get_repository(NAME)


def test_a_key_with_escaped_line_breaks_is_parsed(github_app: GitHubAdapter) -> None:
    flat = app_credentials()["private_key"].replace("\n", "\\n")
    with closing(
        open_github(
            github_app.server.address, {**app_credentials(), "private_key": flat}, NO_PAUSES
        )
    ) as host:
        assert host.get_identity().name == "visual-review[bot]"


@pytest.mark.parametrize("part", ["", "not a key", "begin", "public"])
def test_an_invalid_key_is_rejected_without_quoting_it(part: str) -> None:
    key = app_credentials()["private_key"]
    wrong = {
        "begin": key[:200],
        "public": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    }
    given = {**app_credentials(), "private_key": wrong.get(part, part)}
    with pytest.raises(HostAccessError, match="private key") as caught:
        open_github("https://github.com", given)
    assert key[50:80] not in str(caught.value)
    assert caught.value.__cause__ is None


class TestGitHubWithAToken(HostContract):
    @pytest.fixture
    def adapter(self) -> Iterator[AdapterUnderTest]:
        with github_adapter(TOKEN_CREDENTIALS) as adapter:
            yield adapter


class TestGitHubAsAnApp(HostContract):
    @pytest.fixture
    def adapter(self) -> Iterator[AdapterUnderTest]:
        with github_adapter(app_credentials()) as adapter:
            yield adapter
