import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.servers.scripted import ScriptedResponse, ScriptedServer, serving
from visual_review.client.publishing import InputError, RetryPolicy, Service, ServiceError
from visual_review.client.publishing.responses import Upload
from visual_review.client.transport import connection
from visual_review.client.transport.connection import validate_base_url
from visual_review.client.transport.errors import ConflictError, UploadUrlError

TOKEN = "vr_ci_secret"
QUICK = RetryPolicy(attempts=4, first=0.001, longest=0.002)

PROGRESS = {
    "id": "build_1",
    "number": 7,
    "status": "completed",
    "failure": "",
    "reviewState": "not_required",
    "decisionSource": None,
    "counts": {"unchanged": 3},
    "toReview": [],
    "shards": {"total": 1, "finished": 1},
    "url": "https://review.example.com/b/7",
}
OK = ScriptedResponse(body=PROGRESS)


@contextmanager
def service_at(url: str) -> Iterator[tuple[Service, list[str]]]:
    retries: list[str] = []
    service = Service(url, TOKEN, QUICK, on_retry=lambda reason, _: retries.append(reason))
    with service:
        yield service, retries


def call_until_ok(*answers: ScriptedResponse) -> tuple[ScriptedServer, list[str]]:
    with serving(*answers) as server, service_at(server.url) as (service, retries):
        assert service.progress("build_1").number == 7
    return server, retries


def call_and_fail(*answers: ScriptedResponse) -> str:
    with (
        serving(*answers) as server,
        service_at(server.url) as (service, _),
        pytest.raises(ServiceError) as caught,
    ):
        service.progress("build_1")
    assert TOKEN not in str(caught.value)
    return str(caught.value)


def test_the_token_is_sent_as_bearer_token() -> None:
    server, _ = call_until_ok(OK)
    assert [(each.path, each.authorization) for each in server.seen] == [
        ("/api/ci/builds/build_1", f"Bearer {TOKEN}")
    ]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_call_to_a_busy_server_is_retried(status: int) -> None:
    server, retries = call_until_ok(
        ScriptedResponse(status, body={}), ScriptedResponse(status, body={}), OK
    )
    assert len(server.seen) == 3
    assert retries == [f"status {status}"] * 2


def test_a_call_is_retried_after_a_broken_connection() -> None:
    server, retries = call_until_ok(ScriptedResponse(disconnect=True), OK)
    assert len(server.seen) == 2
    assert len(retries) == 1


def test_retry_after_is_respected() -> None:
    pauses: list[float] = []
    answers = [ScriptedResponse(429, body={}, headers={"retry-after": "1"}), OK]
    with (
        serving(*answers) as server,
        Service(
            server.url, TOKEN, QUICK, on_retry=lambda _, pause: pauses.append(pause)
        ) as service,
    ):
        service.progress("build_1")
    assert pauses == [1.0]


def test_a_limit_that_ends_tomorrow_is_an_error_at_once() -> None:
    body = {"detail": "It has used 200 today."}
    message = call_and_fail(ScriptedResponse(429, body=body, headers={"retry-after": "30000"}))
    assert "status 429: It has used 200 today." in message


def test_an_invalid_retry_after_is_ignored() -> None:
    _, retries = call_until_ok(
        ScriptedResponse(503, body={}, headers={"retry-after": "soon"}),
        ScriptedResponse(503, body={}, headers={"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}),
        OK,
    )
    assert len(retries) == 2


def test_the_last_error_is_reported_when_all_retries_failed() -> None:
    message = call_and_fail(*[ScriptedResponse(503, body={"detail": "Moving house."})] * 4)
    assert "503" in message
    assert "Moving house." in message


def test_an_unreachable_server_is_named_with_what_to_check() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with service_at(url) as (service, retries), pytest.raises(ServiceError) as caught:
            service.progress("build_1")
    assert url in str(caught.value)
    assert "VISUAL_REVIEW_URL" in str(caught.value)
    assert len(retries) == QUICK.attempts - 1


def test_a_server_that_never_responded_is_not_waited_for(
    image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FIRST_CONTACT_SECONDS", 0.0)
    with serving(OK) as server:
        url = server.url
        with service_at(url) as (service, retries):
            service.progress("build_1")
            server.shutdown()
            server.server_close()
            # A server that responded before may be restarting.
            with pytest.raises(ServiceError, match="cannot be reached"):
                service.progress("build_1")
            assert len(retries) == QUICK.attempts - 1
            with pytest.raises(ServiceError, match="cannot be reached"):
                service.put_image(Upload("a" * 64, f"{url}/x"), image)
            assert len(retries) == 2 * (QUICK.attempts - 1)
    with service_at(url) as (service, retries):
        with pytest.raises(ServiceError, match=f"{url} cannot be reached"):
            service.progress("build_1")
        assert retries == []


def test_a_server_that_drops_connections_is_given_up_as_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timeouts: list[float] = []
    connect = socket.create_connection

    def note_timeout(
        address: tuple[str, int], timeout: float, source_address: None
    ) -> socket.socket:
        timeouts.append(timeout)
        return connect(address, timeout, source_address)

    monkeypatch.setattr(socket, "create_connection", note_timeout)
    answers = (OK, ScriptedResponse(disconnect=True), OK)
    with serving(*answers) as server, service_at(server.url) as (service, _):
        service.progress("build_1")
        service.progress("build_1")
    assert (timeouts[0], timeouts[-1]) == (
        connection.FIRST_CONNECT_SECONDS,
        connection.CONNECT_SECONDS,
    )


def test_all_pauses_before_the_first_response_are_shorter_than_five_seconds() -> None:
    policy = RetryPolicy()
    longest = [min(policy.longest, policy.first * 2**n) for n in range(policy.attempts - 1)]
    waited = 0.0
    for pause in longest:
        if waited + pause > connection.FIRST_CONTACT_SECONDS:
            break
        waited += pause
    assert 1 < waited < 5
    assert connection.FIRST_CONNECT_SECONDS < 5


ADVICE = [
    (400, "because"),
    (401, "UI_REVIEW_TOKEN"),
    (404, "VISUAL_REVIEW_URL"),
    (413, "limit"),
    (500, "because"),
    (507, "freed"),
]


def test_each_error_is_not_retried_and_has_advice(case: Case) -> None:
    for status, advice in ADVICE:
        with case(status):
            message = call_and_fail(
                ScriptedResponse(status, body={"title": "No", "detail": "because"})
            )
            assert str(status) in message
            assert advice in message


def test_the_errors_of_a_problem_document_are_listed() -> None:
    errors = [{"pointer": f"/screenshots/{n}", "detail": "too long"} for n in range(7)]
    message = call_and_fail(
        ScriptedResponse(400, body={"detail": "The body is invalid.", "errors": errors})
    )
    assert "/screenshots/0 too long" in message
    assert "and 2 more" in message


def test_messages_of_a_server_cannot_control_the_terminal() -> None:
    assert "\x1b" not in call_and_fail(ScriptedResponse(400, body={"detail": "\x1b[2J"}))


def test_the_error_of_a_redirect_has_the_new_url() -> None:
    message = call_and_fail(
        ScriptedResponse(301, body={}, headers={"location": "https://review.example.com/"})
    )
    assert "https://review.example.com/" in message


@pytest.mark.parametrize("body", [b"<html>", [], {"id": "x"}, PROGRESS | {"counts": 3}])
def test_a_response_with_another_schema_is_an_error(body: object) -> None:
    assert call_and_fail(ScriptedResponse(200, body=body))


def test_a_conflict_names_the_images_still_missing() -> None:
    body = {"detail": "Images did not arrive.", "missing": ["a" * 64]}
    with (
        serving(ScriptedResponse(409, body=body)) as server,
        service_at(server.url) as (service, _),
        pytest.raises(ConflictError, match=r"Images did not arrive\.") as caught,
    ):
        service.finish("build_1", 1)
    assert caught.value.missing == ("a" * 64,)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image.png"
    path.write_bytes(b"png" * 50_000)
    return path


def test_an_image_is_resent_completely_and_without_the_token(image: Path) -> None:
    with (
        serving(ScriptedResponse(503, body={}), ScriptedResponse(201, body={})) as server,
        service_at(server.url) as (service, _),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/incoming/x?signature=y"), image)
    assert [each.body for each in server.seen] == [image.read_bytes()] * 2
    assert [each.authorization for each in server.seen] == [None, None]


def test_a_url_without_a_host_is_relative_to_the_server(image: Path) -> None:
    with serving(ScriptedResponse(201, body={})) as server, service_at(server.url) as (service, _):
        service.put_image(Upload("a" * 64, "/incoming/x"), image)
    assert server.seen[0].path == "/incoming/x"


@pytest.mark.parametrize("status", [403, 404, 410])
def test_an_expired_url_has_an_error_of_its_own(status: int, image: Path) -> None:
    with (
        serving(ScriptedResponse(status, body=b"<Error/>")) as server,
        service_at(server.url) as (service, _),
        pytest.raises(UploadUrlError),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/x"), image)


def test_a_full_disk_during_an_upload_is_reported(image: Path) -> None:
    with (
        serving(ScriptedResponse(507, body={"detail": "No space left."})) as server,
        service_at(server.url) as (service, _),
        pytest.raises(ServiceError, match=r"No space left\. Nothing more can be stored"),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/x"), image)


def test_an_invalid_server_url_is_an_error(case: Case) -> None:
    for url in (
        "",
        "review.example.com",
        "ftp://x",
        "http://",
        "https://a:b@c",
        "http://x?y",
        "http://x:y",
    ):
        with case(repr(url)), pytest.raises(InputError, match="URL"):
            validate_base_url(url)


def test_a_path_in_the_server_url_is_kept() -> None:
    assert validate_base_url(" https://example.com/review/ ") == "https://example.com/review"


@given(st.text(max_size=30))
def test_any_text_is_a_url_or_an_error(text: str) -> None:
    try:
        base = validate_base_url(text)
    except InputError:
        return
    assert base.startswith(("http", "HTTP"))


@given(st.integers(0, 60))
def test_waits_grow_to_a_bound(attempt: int) -> None:
    retry_policy = RetryPolicy(first=0.5, longest=20.0)
    assert 0.25 <= retry_policy.pause(attempt) <= 20.0
