"""Which types of content a message may have, and which its sender takes."""

from tests.support.case import Case
from visual_review.api.mcp.requests import is_json, takes_json

JSON_TYPES = [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json ;Charset="UTF-8"',
    "application/json;",
    "application/json; profile=x",
]


def test_json_in_utf_8_is_taken(case: Case) -> None:
    for kind in JSON_TYPES:
        with case(kind):
            assert is_json(kind)


OTHER_TYPES = [
    "",
    "text/plain",
    "application/jsonx",
    "application/json, application/json",
    "application/json; charset=latin-1",
    "application/json; charset=",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
]


def test_everything_else_is_not(case: Case) -> None:
    for kind in OTHER_TYPES:
        with case(repr(kind)):
            assert not is_json(kind)


ACCEPTING = [
    "",
    "*/*",
    "application/*",
    "application/json",
    "application/json, text/event-stream",
    "text/html, APPLICATION/JSON;q=0.1",
    "text/event-stream;q=1, */*;q=0.001",
]


def test_who_names_json_or_anything_takes_json(case: Case) -> None:
    for accept in ACCEPTING:
        with case(repr(accept)):
            assert takes_json(accept)


def test_who_names_other_types_alone_does_not(case: Case) -> None:
    for accept in (
        "text/event-stream",
        "text/*",
        "application/json;q=0",
        "application/json; q=0.000",
        "json",
    ):
        with case(accept):
            assert not takes_json(accept)
