"""The MCP endpoint responds to any body with JSON or an empty 202, never a 5xx."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.action_arguments import Target, target_of
from tests.support.api_keys import user_key
from tests.support.depth import rounds
from tests.support.mcp.endpoint import (
    NAMES,
    PROTOCOL_VERSIONS,
    Endpoint,
    ProtocolVersion,
    headers_of,
    params_of,
)
from tests.support.personas import Personas

EXAMPLES = rounds(60, 250)
OTHERS = [
    *("initialize", "ping", "server/discover", "tools/list", "resources/list", "prompts/list"),
    *("resources/templates/list", "completion/complete", "subscriptions/listen", "tasks/get"),
]
# Unpaired surrogates and NUL characters too: JSON can contain unstorable text.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
HEADERS = st.dictionaries(
    st.sampled_from(["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Accept"]),
    st.sampled_from(["", "2025-06-18", "2026-07-28", "tools/call", "*/*", "=?base64??="])
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    max_size=1,
)


def changes(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Often nothing, else another value for one of the members, or for one of any name."""
    known = st.sampled_from(names) if names else st.nothing()
    return st.just({}) | st.dictionaries(known | TEXTS, VALUES, max_size=1)


@dataclass(frozen=True)
class Post:
    """A valid request of one protocol version, with something odd in one layer."""

    request: tuple[str, dict[str, Any]]
    version: ProtocolVersion
    message: dict[str, Any]
    params: dict[str, Any]
    arguments: dict[str, Any]
    headers: dict[str, str]

    def send(self, endpoint: Endpoint, key: str) -> httpx.Response:
        method, known = self.request
        params = {**params_of(known, self.version), **self.params}
        if isinstance(params.get("arguments"), dict):
            params["arguments"] = {**params["arguments"], **self.arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **self.message}
        named = {place: str(known.get(place, "x")) for place in NAMES.values()}
        sent = {**headers_of(key, method, named, self.version), **self.headers}
        return endpoint.send(json.dumps(body).encode(), sent)


def posts(target: Target) -> st.SearchStrategy[Post]:
    uri = f"visual-review://screenshots/{target.screenshot.id}/after"
    tools = dict(target.calls)
    # Removing the repository would leave nothing to try.
    del tools["remove_repo"]
    requests = [
        *(("tools/call", {"name": name, "arguments": given}) for name, given in tools.items()),
        *((method, {}) for method in OTHERS),
        ("resources/read", {"uri": uri}),
    ]
    return st.builds(
        Post,
        st.sampled_from(requests),
        st.sampled_from(PROTOCOL_VERSIONS),
        changes("jsonrpc", "id", "method", "params", "result", "error"),
        changes("name", "arguments", "uri", "cursor", "_meta", "protocolVersion", "clientInfo"),
        changes("repoId", "buildId", "productKey", "limit", "state", "comment", "themes"),
        st.just({}) | HEADERS,
    )


def assert_answered(response: httpx.Response) -> None:
    assert response.status_code < 500, response.text
    if response.status_code == 202:
        assert response.content == b""
        return
    assert response.headers["content-type"] in {"application/json", "application/problem+json"}
    document = json.loads(response.content)
    assert {"jsonrpc", "id"} <= document.keys() or {"type", "title", "detail"} <= document.keys()
    # Our failures would have numbers.
    assert "incident_" not in response.text


@pytest.mark.search
def test_random_messages_never_break_the_endpoint(endpoint: Endpoint, personas: Personas) -> None:
    messages = posts(target_of(personas.alice))
    key = user_key(personas.alice)
    seen: Counter[str] = Counter()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(messages)
    def check(post: Post) -> None:
        response = post.send(endpoint, key)
        assert_answered(response)
        seen["result" if '"result":' in response.text else "other"] += 1

    check()
    # If the endpoint rejected all, the code behind it would not be tested.
    assert min(seen["result"], seen["other"]) > EXAMPLES / 10, seen
    assert endpoint.call(key, "list_builds", {"repoId": "unknown"})["isError"]
