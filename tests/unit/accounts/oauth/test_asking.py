"""PKCE, the resource and repeated parameters of a request."""

import pytest
from pytest_django.fixtures import Settings

from visual_review.accounts.oauth.authorization_requests import (
    challenge_fault,
    repeated,
    resource_fault,
)
from visual_review.accounts.oauth.resource import is_ours, resource

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
GOOD = {"code_challenge": [CHALLENGE], "code_challenge_method": ["S256"]}


def test_only_s256_is_a_challenge() -> None:
    assert challenge_fault(GOOD) is None
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
        fault = challenge_fault({**GOOD, **change})
        assert fault is not None, change
        assert fault.error == "invalid_request"


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
def test_the_one_resource(settings: Settings, text: str, *, ours: bool) -> None:
    settings.PUBLIC_URL = "https://review.example"
    assert is_ours(text) is ours
    fault = resource_fault({"resource": [resource(), text]}, is_ours)
    assert (fault is None) is ours


def test_no_resource_is_the_only_one() -> None:
    assert resource_fault({}, is_ours) is None


def test_only_resources_may_be_repeated() -> None:
    assert repeated({"a": ["1"], "resource": ["1", "2"]}) is None
    fault = repeated({"a": ["1", "1"]})
    assert fault is not None
    assert fault.error == "invalid_request"
