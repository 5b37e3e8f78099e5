"""Which types of content a message may have, and which its sender takes."""

import pytest

from visual_review.api.mcp.media import is_json, takes_json


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json ;Charset="UTF-8"',
        "application/json;",
        "application/json; profile=x",
    ],
)
def test_json_in_utf_8_is_taken(kind: str) -> None:
    assert is_json(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/jsonx",
        "application/json, application/json",
        "application/json; charset=latin-1",
        "application/json; charset=",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
    ],
)
def test_everything_else_is_not(kind: str) -> None:
    assert not is_json(kind)


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/*",
        "application/json",
        "application/json, text/event-stream",
        "text/html, APPLICATION/JSON;q=0.1",
        "text/event-stream;q=1, */*;q=0.001",
    ],
)
def test_who_names_json_or_anything_takes_json(accept: str) -> None:
    assert takes_json(accept)


@pytest.mark.parametrize(
    "accept",
    ["text/event-stream", "text/*", "application/json;q=0", "application/json; q=0.000", "json"],
)
def test_who_names_other_types_alone_does_not(accept: str) -> None:
    assert not takes_json(accept)
