"""PKCE, the resource, and repeated parameters of a request."""

import pytest
from pytest_django.fixtures import Settings

from visual_review.accounts.oauth.authorization_requests import (
    find_code_challenge_error,
    find_repeated_parameter,
    find_resource_error,
)
from visual_review.accounts.oauth.resource import is_ours, resource

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
VALID = {"code_challenge": [CHALLENGE], "code_challenge_method": ["S256"]}


def test_only_one_s256_code_challenge_is_accepted() -> None:
    assert find_code_challenge_error(VALID) is None
    for change in (
        {"code_challenge_method": ["plain"]},
        {"code_challenge_method": []},
        {"code_challenge_method": ["S256", "plain"]},
        {"code_challenge_method": ["s256"]},
        {"code_challenge": []},
        {"code_challenge": [""]},
        {"code_challenge": [CHALLENGE + "="]},
        {"code_challenge": [CHALLENGE[:-1]]},
        {"code_challenge": [CHALLENGE + "\n"]},
        {"code_challenge": [CHALLENGE, CHALLENGE]},
    ):
        error = find_code_challenge_error({**VALID, **change})
        assert error is not None, change
        assert error.error == "invalid_request"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("https://review.example/api/mcp", True),
        ("https://review.example/api/mcp/", True),
        ("https://REVIEW.example:443/api/mcp", True),
        ("https://review.example/api/MCP", False),
        ("https://review.example/", False),
        ("https://review.example", False),
        ("http://review.example/api/mcp", False),
        ("https://review.example:8443/api/mcp", False),
        ("https://evil.example/api/mcp", False),
        ("https://review.example@evil.example/api/mcp", False),
        ("https://x@review.example/api/mcp", False),
        ("https://review.example/api/mcp?x=1", False),
        ("https://review.example/api/mcp#x", False),
        ("https://review.example/api/mcp/more", False),
        ("https://review.example:x/api/mcp", False),
        ("", False),
    ],
)
def test_only_our_resource_is_accepted(settings: Settings, text: str, *, ours: bool) -> None:
    settings.PUBLIC_URL = "https://review.example"
    assert is_ours(text) is ours
    error = find_resource_error({"resource": [resource(), text]}, is_ours)
    assert (error is None) is ours


def test_the_resource_may_be_omitted() -> None:
    assert find_resource_error({}, is_ours) is None


def test_only_the_resource_may_be_repeated() -> None:
    assert find_repeated_parameter({"a": ["1"], "resource": ["1", "2"]}) is None
    error = find_repeated_parameter({"a": ["1", "1"]})
    assert error is not None
    assert error.error == "invalid_request"
