"""Parameters are valid where the protocol's own types say so."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from mcp_types.methods import validate_client_request
from pydantic import ValidationError

from tests.support.case import Case
from visual_review.api.mcp.protocol import (
    CAPABILITIES_MEMBER,
    CLIENT_MEMBER,
    NEWER_VERSIONS,
    VERSION_MEMBER,
    ProtocolError,
)
from visual_review.api.mcp.server import METHODS
from visual_review.api.mcp.versions import NEWER_META, check_parameters

CLIENT_INFO = {"name": "x", "version": "1"}
META = {
    VERSION_MEMBER: NEWER_VERSIONS[0],
    CAPABILITIES_MEMBER: {},
    CLIENT_MEMBER: CLIENT_INFO,
}
VALID: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": CLIENT_INFO,
    },
    "server/discover": {},
    "ping": {},
    "tools/list": {"cursor": "x"},
    "tools/call": {"name": "list_repos", "arguments": {"a": 1}},
    "resources/list": {"cursor": "x"},
    "resources/templates/list": {"cursor": "x"},
    "resources/read": {"uri": "x://y"},
    "prompts/list": {"cursor": "x"},
    "prompts/get": {"name": "review_build", "arguments": {"a": "b"}},
}
MISSING = object()
VALUES = (MISSING, None, "text", "", {}, {"a": 1}, {"a": "b"}, 5, True, 1.5, [], [{}])


def changed(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield ``params`` with each of its members replaced by each value, or left out."""
    for name, value in product(params, VALUES):
        yield {key: item for key, item in {**params, name: value}.items() if item is not MISSING}


def is_valid(method: str, version: str, params: dict[str, Any]) -> bool:
    try:
        check_parameters(params, METHODS[method].parameters)
        if version in NEWER_VERSIONS:
            check_parameters(params["_meta"], NEWER_META)
    except ProtocolError:
        return False
    return True


def is_valid_for_the_library(method: str, version: str, params: dict[str, Any]) -> bool:
    try:
        validate_client_request(method, version, params)
    except ValidationError:
        return False
    return True


def cases_of(method: str, version: str) -> Iterator[dict[str, Any]]:
    params = {**VALID[method], "unknown": 1}
    if version not in NEWER_VERSIONS:
        yield from (params, *changed(params))
        yield from ({**params, "_meta": value} for value in (None, {}, {"a": 1}, "x", 5, []))
        if method == "initialize":
            yield from ({**params, "clientInfo": info} for info in changed(CLIENT_INFO))
        return
    yield from ({**one, "_meta": META} for one in (params, *changed(params)))
    yield from ({**params, "_meta": meta} for meta in changed(META))
    clients = ({**META, CLIENT_MEMBER: info} for info in changed(CLIENT_INFO))
    yield from ({**params, "_meta": meta} for meta in clients)


def test_parameters_are_valid_where_the_library_accepts_them(case: Case) -> None:
    for method, known in METHODS.items():
        for version in known.versions:
            with case(f"{method}, {version}"):
                for params in cases_of(method, version):
                    expected = is_valid_for_the_library(method, version, params)
                    assert is_valid(method, version, params) == expected, params


def test_an_error_names_the_parameter_and_its_type() -> None:
    with pytest.raises(ProtocolError, match="'arguments' must be an object"):
        check_parameters({"name": "x", "arguments": []}, METHODS["tools/call"].parameters)
    with pytest.raises(ProtocolError, match="'name' must be a string"):
        check_parameters({}, METHODS["tools/call"].parameters)
