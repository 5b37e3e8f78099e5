"""Our names of the protocol are those of its library, which the service itself does not import."""

import mcp_types
from mcp_types import jsonrpc
from mcp_types.methods import CLIENT_REQUESTS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from visual_review.api.mcp import protocol
from visual_review.api.mcp.server import METHODS


def test_all_released_versions_are_served() -> None:
    assert protocol.OLDER_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.NEWER_VERSIONS == MODERN_PROTOCOL_VERSIONS
    assert protocol.ASSUMED_VERSION == mcp_types.DEFAULT_NEGOTIATED_VERSION


def test_codes_and_members_are_those_of_the_library() -> None:
    for name in ("PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS"):
        assert getattr(protocol, name) == getattr(jsonrpc, name)
    assert protocol.INTERNAL_ERROR == jsonrpc.INTERNAL_ERROR
    assert protocol.HEADER_MISMATCH == jsonrpc.HEADER_MISMATCH
    assert protocol.UNSUPPORTED_VERSION == jsonrpc.UNSUPPORTED_PROTOCOL_VERSION
    assert protocol.VERSION_MEMBER == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CAPABILITIES_MEMBER == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.CLIENT_MEMBER == mcp_types.CLIENT_INFO_META_KEY
    assert protocol.SERVER_MEMBER == mcp_types.SERVER_INFO_META_KEY


def test_every_method_is_served_in_the_versions_that_have_it() -> None:
    for name, method in METHODS.items():
        assert {(name, version) for version in method.versions} == {
            pair for pair in CLIENT_REQUESTS if pair[0] == name
        }
