"""A connection narrows its tools by URL and header, for the list and for every call."""

from itertools import product
from typing import Any

from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint, ProtocolVersion
from tests.support.published_interface import DOCUMENT, read_table
from visual_review.actions.registry import callable_actions, extended_actions
from visual_review.api.openapi import build_document

PUBLISHED = list(read_table(DOCUMENT.read_text(encoding="utf-8")))
EXTENSION = "get_images"
HEADER = "Visual-Review-Tools"
MANAGING = {"connect_repo", "rotate_repo_token", "remove_repo", "set_repo_capture"}
RECORDING = {"enable_recordings", "list_recordings", "delete_recording"}
DECIDING = {"get_build", "approve_build", "review_screenshot", "set_dynamic_regions"}
INVALID_PARAMS = -32602


def names(
    endpoint: Endpoint,
    key: str,
    query: str = "",
    version: ProtocolVersion = "2025-11-25",
    **headers: str,
) -> list[str]:
    response = endpoint.ask(key, "tools/list", None, version, query, **headers)
    assert response.status_code == 200, response.text
    return [tool["name"] for tool in response.json()["result"]["tools"]]


def test_published_leaves_exactly_the_twenty_actions_of_the_document(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            assert names(endpoint, key, "?tools=published", version) == PUBLISHED
            assert names(endpoint, key, "", version, **{HEADER: "published"}) == PUBLISHED


def test_the_setting_leaves_exactly_the_twenty_actions_everywhere(
    endpoint: Endpoint, key: str, settings: Settings
) -> None:
    settings.EXTENSIONS = False
    assert names(endpoint, key) == PUBLISHED
    paths = [path.rpartition("/")[2] for path in build_document()["paths"]]
    assert paths == PUBLISHED
    assert names(endpoint, key, "?tools=review,manage,recordings") == PUBLISHED


TOOLSETS = (
    ("review", DECIDING, MANAGING | RECORDING),
    ("manage", MANAGING, DECIDING | RECORDING),
    ("recordings", RECORDING, DECIDING | MANAGING),
)


def test_a_toolset_has_its_own_tools_and_no_others(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for (toolset, own, others), version in product(TOOLSETS, PROTOCOL_VERSIONS):
        with case(f"{toolset}, {version}"):
            found = set(names(endpoint, key, f"?tools={toolset}", version))
            assert found >= {"list_repos", *own}
            assert not found & others
            extensions = {action.name for action in extended_actions()}
            assert extensions & found == (extensions if toolset == "review" else set())


def test_toolsets_together_have_all_tools(endpoint: Endpoint, key: str) -> None:
    every = [action.name for action in callable_actions()]
    assert names(endpoint, key) == every
    assert names(endpoint, key, "?tools=review,manage,recordings") == every
    # A second parameter only removes tools.
    both = names(endpoint, key, "?tools=review&tools=manage,recordings")
    assert set(both) < {*names(endpoint, key, "?tools=review")}


NARROWED = (
    ("?tools=review", "published", {"get_build"}, {EXTENSION, "remove_repo"}),
    ("?tools=published", "review, manage", {"get_build", "remove_repo"}, {EXTENSION, *RECORDING}),
    ("?tools=review", "manage", {"list_repos"}, DECIDING | MANAGING),
)


def test_url_and_header_only_narrow_each_other(case: Case, endpoint: Endpoint, key: str) -> None:
    for query, header, present, absent in NARROWED:
        with case(f"{query} {header}"):
            found = set(names(endpoint, key, query, **{HEADER: header}))
            assert found >= present
            assert not found & absent


def call(
    endpoint: Endpoint, key: str, name: str, query: str, version: ProtocolVersion
) -> dict[str, Any]:
    params = {"name": name, "arguments": {}}
    return dict(endpoint.ask(key, "tools/call", params, version, query).json())


def test_a_call_of_a_tool_that_is_not_offered_says_so_and_does_nothing(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for (query, name), version in product(
        (
            ("?tools=review", "remove_repo"),
            ("?tools=published", EXTENSION),
            ("?tools=manage", EXTENSION),
        ),
        PROTOCOL_VERSIONS,
    ):
        with case(f"{query} {name} {version}"):
            error = call(endpoint, key, name, query, version)["error"]
            assert error["code"] == INVALID_PARAMS
            assert f"'{name}' is not offered on this connection" in error["message"]
            assert query.partition("=")[2] in error["message"]


def test_a_hint_names_no_tool_that_is_not_offered(endpoint: Endpoint, key: str) -> None:
    everywhere = call(endpoint, key, "remove_repos", "", "2025-11-25")["error"]["message"]
    assert "Did you mean 'remove_repo'?" in everywhere
    narrowed = call(endpoint, key, "remove_repos", "?tools=review", "2025-11-25")
    assert "'remove_repo'" not in narrowed["error"]["message"]


WRONG = (
    ("?tools=reviews", None, "'reviews'"),
    ("?tools=", None, "names no toolset"),
    ("?tools=review,%20all", None, "'all'"),
    ("", "Review", "'Review'"),
    ("", "", "names no toolset"),
    ("?tools=review", "admin", "'admin'"),
)


def test_an_unknown_toolset_is_refused_and_the_names_are_listed(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for query, header, said in WRONG:
        with case(f"{query} {header}"):
            sent = {} if header is None else {HEADER: header}
            response = endpoint.ask(key, "tools/list", None, "2025-11-25", query, **sent)
            assert response.status_code == 400
            assert said in response.json()["detail"]
            assert "review, manage, recordings, published" in response.json()["detail"]


def test_other_parameters_of_the_url_are_ignored(endpoint: Endpoint, key: str) -> None:
    assert names(endpoint, key, "?session=1&tool=review") == names(endpoint, key)


def test_instructions_and_advice_name_only_tools_of_the_connection(
    endpoint: Endpoint, key: str
) -> None:
    info = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    for query, named in (("", True), ("?tools=review", True), ("?tools=published", False)):
        response = endpoint.ask(key, "initialize", info, "2025-11-25", query)
        assert ("list_changes" in response.json()["result"]["instructions"]) is named
