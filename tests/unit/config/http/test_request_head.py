"""What a head may contain, and which bytes end the body; pure."""

import pytest

from tests.support.case import Case
from visual_review.config.http.request_head import (
    MOST_FIELDS,
    MOST_FRAMING_BYTES,
    MOST_HEAD_BYTES,
    MOST_TARGET_BYTES,
    Framing,
    RequestError,
    check_framing_size,
    check_head_size,
    check_target_size,
    parse_framing,
    parse_target,
)

HOST = (b"host", b"service")


def test_a_target_is_a_path_and_a_query() -> None:
    target = parse_target(b"/caf%C3%A9/a%2Fb?q=%20&x=?")
    assert (target.path, target.raw_path) == ("/café/a/b", b"/caf%C3%A9/a%2Fb")
    assert target.query == b"q=%20&x=?"


def test_a_target_with_another_host_or_none_is_refused(case: Case) -> None:
    for target in (b"http://other/path", b"*", b"other:443", b""):
        with case(target), pytest.raises(RequestError, match="must begin with") as error:
            parse_target(target)
        assert error.value.status == 400


def test_the_body_ends_after_its_length_or_its_last_chunk(case: Case) -> None:
    for name, headers, framing in [
        ("none", [], Framing(0)),
        ("a length", [(b"content-length", b"12")], Framing(12)),
        ("chunks", [(b"transfer-encoding", b"Chunked")], Framing(None)),
        ("asks first", [(b"expect", b"100-Continue")], Framing(0, expects_continue=True)),
    ]:
        with case(name):
            assert parse_framing("1.1", [HOST, *headers]) == framing


def test_what_two_readers_could_understand_differently_is_refused(case: Case) -> None:
    for name, version, headers in [
        ("no host", "1.1", []),
        ("two hosts", "1.1", [HOST, HOST]),
        ("two hosts in HTTP/1.0", "1.0", [HOST, HOST]),
        ("another encoding", "1.1", [HOST, (b"transfer-encoding", b"gzip, chunked")]),
        ("chunks in HTTP/1.0", "1.0", [HOST, (b"transfer-encoding", b"chunked")]),
        ("HTTP/0.9", "0.9", []),
        ("HTTP/2", "2.0", [HOST]),
    ]:
        with case(name), pytest.raises(RequestError) as error:
            parse_framing(version, headers)
        assert error.value.status == 400


def test_http_1_0_needs_no_host() -> None:
    assert parse_framing("1.0", [(b"expect", b"100-continue")]) == Framing(0)


def test_sizes_beyond_the_limits_are_refused() -> None:
    check_target_size(b"x" * MOST_TARGET_BYTES)
    check_head_size(MOST_HEAD_BYTES, MOST_FIELDS)
    check_framing_size(MOST_FRAMING_BYTES + 8, 1)
    for check, arguments, status in [
        (check_target_size, (b"x" * (MOST_TARGET_BYTES + 1),), 414),
        (check_head_size, (MOST_HEAD_BYTES + 1, 1), 431),
        (check_head_size, (1, MOST_FIELDS + 1), 431),
        (check_framing_size, (MOST_FRAMING_BYTES + 9, 1), 431),
    ]:
        with pytest.raises(RequestError) as error:
            check(*arguments)
        assert error.value.status == status
