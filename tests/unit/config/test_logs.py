import io
import json
import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from visual_review.config import logs
from visual_review.config.http import security_headers
from visual_review.config.logs import (
    HIDDEN,
    MaskedJson,
    MaskedLine,
    OncePerSecond,
    WithoutOutages,
    log_settings,
    mask,
)

URL_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
secrets = st.text(URL_SAFE, min_size=20, max_size=60)
LOG_LINES = [
    "key vr_user_{} used",
    "vr_org_{}",
    "UI_REVIEW_TOKEN=vr_ci_{}",
    "GET /invitation/vr_invite_{} 200",
    "GET /setup/vr_setup_{}",
    "Authorization: Bearer {}",
    "{{'authorization': 'Bearer {}'}}",
    '{{"Authorization": "Basic {}"}}',
    "connecting to postgresql://user:{}@host:5432/name",
    "connecting to postgresql://:{}@/name?host=%2Frun",
    "smtp://mail%40example.com:{}@mail:587",
    "host=x password={} user=y",
    "/blobs/a/b?expires=12&signature={}",
    "https://s3/b/k?X-Amz-Credential=a&X-Amz-Signature={}&X-Amz-Expires=9",
    "https://s3/b/k?X-Amz-Security-Token={}",
    "AWS_SECRET_ACCESS_KEY={}",
    '{{"password": "{}", "name": "x"}}',
    "Cookie: sessionid={}; theme=dark",
    "csrftoken={}",
    "GET /accounts/password/reset/key/{}/",
    "GET /shared-pictures/shot_01hx.1vMx2c.{} 200",
]


@pytest.mark.parametrize("line", LOG_LINES)
@given(secret=secrets)
@settings(max_examples=rounds(10, 100))
def test_a_secret_in_any_known_form_is_hidden(line: str, secret: str) -> None:
    masked = mask(line.format(secret))
    assert secret not in masked
    assert HIDDEN in masked


@pytest.mark.parametrize(
    "text",
    [
        "GET /repositories/repo_01hx/builds 200 12 ms",
        "the database at postgresql://user@host/name is available",
        "job 12 (process_build) was interrupted and runs again",
        "build build_01hx of acme/web is completed at 2026-11-21T02:35:49+0000",
    ],
)
def test_text_without_a_secret_is_unchanged(text: str) -> None:
    assert mask(text) == text


def log_with(formatter: logging.Formatter, secret: str) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger = logging.getLogger("tests.masking")
    logger.propagate = False
    logger.handlers = [handler]
    try:
        fail(f"could not use vr_org_{secret}")
    except ValueError:
        logger.exception("with %s", f"Bearer {secret}", extra={"header": f"password={secret}"})
    return stream.getvalue()


def fail(message: str) -> None:
    raise ValueError(message)


def test_a_line_of_the_access_log_has_the_fields_of_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records: list[logging.LogRecord] = []
    monkeypatch.setattr(security_headers.access, "handle", records.append)
    monkeypatch.setattr(security_headers.access, "isEnabledFor", lambda _level: True)
    path = "/reset/key/secret/caf\u00e9\u202e"
    scope = {"method": "GET", "path": path, "client": ("192.0.2.1", 1)}
    security_headers.log_request(scope, 404, 0.01234)
    security_headers.log_request({**scope, "path": "/healthz"}, 200, 0.0)
    line = formatter_of("json").format(records[0])
    assert len(records) == 1
    assert line.isascii()
    assert "secret" not in line
    assert list(json.loads(line)) == list(json.loads(line_of_another_record(records[0])))
    assert json.loads(line) | {"time": ""} == {
        "time": "",
        "level": "INFO",
        "logger": "visual_review.access",
        "message": "GET /reset/key/***/caf\u00e9\u202e 404 12 ms",
        "method": "GET",
        "path": "/reset/key/***/caf\u00e9\u202e",
        "status": 404,
        "milliseconds": 12.3,
        "client": "192.0.2.1",
    }


def formatter_of(name: str) -> logging.Formatter:
    """Return the formatter described in the settings."""
    described = dict(log_settings()["formatters"][name])
    made: logging.Formatter = described.pop("()")(**described)
    return made


def line_of_another_record(record: logging.LogRecord) -> str:
    """Return the line of a record with the same fields, of a logger without a format of its own."""
    other = logging.makeLogRecord({**record.__dict__, "name": "visual_review.other"})
    return formatter_of("json").format(other)


@given(secret=secrets)
def test_messages_extra_fields_and_tracebacks_are_all_masked(secret: str) -> None:
    line = log_with(MaskedJson(["message"]), secret)
    assert secret not in line
    assert {"message", "exc_info", "header"} <= set(json.loads(line))
    assert secret not in log_with(MaskedLine(), secret)


def test_an_outage_is_logged_once_a_second_however_many_calls_meet_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = iter((10.0, 10.5, 10.9, 10.9, 11.0))
    monkeypatch.setattr(logs.time, "monotonic", lambda: next(moments))
    let_through = OncePerSecond().filter
    outage = logging.makeLogRecord({"levelno": logging.WARNING, "msg": "no connection: %s"})
    other = logging.makeLogRecord({"levelno": logging.WARNING, "msg": "no storage"})
    internal = logging.makeLogRecord({"levelno": logging.ERROR, "msg": "no connection: %s"})
    records = (outage, outage, other, outage, internal, internal, outage)
    assert [let_through(each) for each in records] == [True, False, True, False, True, True, True]


@pytest.mark.parametrize(("status", "is_logged"), [(500, True), (503, False), (507, False)])
def test_django_logs_no_response_of_an_outage(status: int, is_logged: bool) -> None:  # noqa: FBT001 - A parameter.
    record = logging.makeLogRecord({"status_code": status})
    assert WithoutOutages().filter(record) is is_logged
