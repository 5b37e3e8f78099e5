import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.servers.scripted import Answer, ScriptedServer, serving
from visual_review.client.publishing import InputError, RetryPolicy, Service, ServiceError
from visual_review.client.publishing.responses import Upload
from visual_review.client.transport.connection import checked_base
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
OK = Answer(body=PROGRESS)


@contextmanager
def service_at(url: str) -> Iterator[tuple[Service, list[str]]]:
    retries: list[str] = []
    service = Service(url, TOKEN, QUICK, on_retry=lambda reason, _: retries.append(reason))
    with service:
        yield service, retries


def asked(*answers: Answer) -> tuple[ScriptedServer, list[str]]:
    with serving(*answers) as server, service_at(server.url) as (service, retries):
        assert service.progress("build_1").number == 7
    return server, retries


def refused(*answers: Answer) -> str:
    with (
        serving(*answers) as server,
        service_at(server.url) as (service, _),
        pytest.raises(ServiceError) as caught,
    ):
        service.progress("build_1")
    assert TOKEN not in str(caught.value)
    return str(caught.value)


def test_the_token_goes_along_as_bearer() -> None:
    server, _ = asked(OK)
    assert [(each.path, each.authorization) for each in server.seen] == [
        ("/api/ci/builds/build_1", f"Bearer {TOKEN}")
    ]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int) -> None:
    server, retries = asked(Answer(status, body={}), Answer(status, body={}), OK)
    assert len(server.seen) == 3
    assert retries == [f"status {status}"] * 2


def test_a_connection_that_breaks_is_tried_again() -> None:
    server, retries = asked(Answer(cut=True), OK)
    assert len(server.seen) == 2
    assert len(retries) == 1


def test_retry_after_is_heeded() -> None:
    pauses: list[float] = []
    answers = [Answer(429, body={}, headers={"retry-after": "1"}), OK]
    with (
        serving(*answers) as server,
        Service(
            server.url, TOKEN, QUICK, on_retry=lambda _, pause: pauses.append(pause)
        ) as service,
    ):
        service.progress("build_1")
    assert pauses == [1.0]


def test_a_retry_after_of_nonsense_does_not_harm() -> None:
    _, retries = asked(
        Answer(503, body={}, headers={"retry-after": "soon"}),
        Answer(503, body={}, headers={"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}),
        OK,
    )
    assert len(retries) == 2


def test_patience_ends_with_the_words_of_the_last_answer() -> None:
    words = refused(*[Answer(503, body={"detail": "Moving house."})] * 4)
    assert "503" in words
    assert "Moving house." in words


def test_an_unreachable_server_is_named_with_what_to_check() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with service_at(url) as (service, retries), pytest.raises(ServiceError) as caught:
            service.progress("build_1")
    assert url in str(caught.value)
    assert "VISUAL_REVIEW_URL" in str(caught.value)
    assert len(retries) == QUICK.attempts - 1


ADVICE = [
    (400, "because"),
    (401, "UI_REVIEW_TOKEN"),
    (404, "VISUAL_REVIEW_URL"),
    (413, "limit"),
    (500, "because"),
    (507, "disk"),
]


def test_each_refusal_is_asked_once_and_tells_the_way_out(case: Case) -> None:
    for status, advice in ADVICE:
        with case(status):
            words = refused(Answer(status, body={"title": "No", "detail": "because"}))
            assert str(status) in words
            assert advice in words


def test_single_errors_of_a_refusal_are_listed() -> None:
    errors = [{"pointer": f"/screenshots/{n}", "detail": "too long"} for n in range(7)]
    words = refused(Answer(400, body={"detail": "The body is invalid.", "errors": errors}))
    assert "/screenshots/0 too long" in words
    assert "and 2 more" in words


def test_what_a_server_says_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in refused(Answer(400, body={"detail": "\x1b[2J"}))


def test_a_redirect_names_the_address_to_use() -> None:
    words = refused(Answer(301, body={}, headers={"location": "https://review.example.com/"}))
    assert "https://review.example.com/" in words


@pytest.mark.parametrize("body", [b"<html>", [], {"id": "x"}, PROGRESS | {"counts": 3}])
def test_an_answer_of_another_shape_is_told(body: object) -> None:
    assert refused(Answer(200, body=body))


def test_a_conflict_names_the_images_still_missing() -> None:
    body = {"detail": "Images did not arrive.", "missing": ["a" * 64]}
    with (
        serving(Answer(409, body=body)) as server,
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


def test_an_image_is_sent_whole_again_and_without_the_token(image: Path) -> None:
    with (
        serving(Answer(503, body={}), Answer(201, body={})) as server,
        service_at(server.url) as (service, _),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/incoming/x?signature=y"), image)
    assert [each.body for each in server.seen] == [image.read_bytes()] * 2
    assert [each.authorization for each in server.seen] == [None, None]


def test_an_address_without_a_host_is_one_of_the_server(image: Path) -> None:
    with serving(Answer(201, body={})) as server, service_at(server.url) as (service, _):
        service.put_image(Upload("a" * 64, "/incoming/x"), image)
    assert server.seen[0].path == "/incoming/x"


@pytest.mark.parametrize("status", [403, 404, 410])
def test_an_address_that_ended_can_be_told_from_a_refusal(status: int, image: Path) -> None:
    with (
        serving(Answer(status, body=b"<Error/>")) as server,
        service_at(server.url) as (service, _),
        pytest.raises(UploadUrlError),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/x"), image)


def test_a_full_disk_during_upload_is_told(image: Path) -> None:
    with (
        serving(Answer(507, body={"detail": "No space left."})) as server,
        service_at(server.url) as (service, _),
        pytest.raises(ServiceError, match="disk is full"),
    ):
        service.put_image(Upload("a" * 64, f"{server.url}/x"), image)


def test_what_is_no_address_of_a_server_is_refused(case: Case) -> None:
    for url in (
        "",
        "review.example.com",
        "ftp://x",
        "http://",
        "https://a:b@c",
        "http://x?y",
        "http://x:y",
    ):
        with case(repr(url)), pytest.raises(InputError, match="address"):
            checked_base(url)


def test_a_path_before_the_interface_is_kept() -> None:
    assert checked_base(" https://example.com/review/ ") == "https://example.com/review"


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_refused_in_words(text: str) -> None:
    try:
        base = checked_base(text)
    except InputError:
        return
    assert base.startswith(("http", "HTTP"))


@given(st.integers(0, 60))
def test_waits_grow_to_a_bound(attempt: int) -> None:
    patience = RetryPolicy(first=0.5, longest=20.0)
    assert 0.25 <= patience.pause(attempt) <= 20.0
