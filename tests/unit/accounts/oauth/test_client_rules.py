"""A client's allowed registrations, requests and tokens, and their lifetimes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.support.case import Case
from visual_review.accounts.oauth.authorization_requests import (
    find_code_challenge_error,
    find_repeated_parameter,
    find_resource_error,
)
from visual_review.accounts.oauth.client_rules import (
    NAME_LENGTH,
    UNNAMED,
    ClientMetadataError,
    client_name,
    parse_document,
    parse_registration,
)
from visual_review.accounts.oauth.lifetimes import REFRESH_GRACE, classify_refresh
from visual_review.accounts.oauth.resource import is_ours, resource
from visual_review.accounts.oauth.scopes import (
    intersect_scopes,
    limit_scope,
    may_change,
    merge_consent,
    permissions_in,
    scope_text,
)
from visual_review.accounts.permissions import PUBLISHED, ROLES, permissions_of

SCHEMES = ("vscode",)
REDIRECT = "http://127.0.0.1:33418/cb"
# The registration of a real editor, including members unknown to us.
EDITOR: dict[str, Any] = {
    "client_name": "Editor",
    "client_uri": "https://editor.example",
    "grant_types": [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
    ],
    "response_types": ["code"],
    "redirect_uris": ["https://editor.example/redirect", REDIRECT],
    "token_endpoint_auth_method": "none",
    "application_type": "native",
    "scope": "read write offline_access",
    "software_statement": 7,
}


def test_a_real_client_is_registered_with_what_is_supported() -> None:
    metadata = parse_registration(EDITOR, SCHEMES)
    assert metadata.name == "Editor"
    assert list(metadata.redirects) == EDITOR["redirect_uris"]
    assert parse_registration({"redirect_uris": [REDIRECT]}, SCHEMES).name == UNNAMED


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_a_client_that_asks_for_a_secret_is_registered_without_it(method: str) -> None:
    assert parse_registration({**EDITOR, "token_endpoint_auth_method": method}, SCHEMES)


REJECTED_CHANGES = [
    ({"redirect_uris": None}, "invalid_redirect_uri"),
    ({"redirect_uris": []}, "invalid_redirect_uri"),
    ({"redirect_uris": REDIRECT}, "invalid_redirect_uri"),
    ({"redirect_uris": [REDIRECT] * 21}, "invalid_redirect_uri"),
    ({"redirect_uris": [REDIRECT, "http://evil.example/"]}, "invalid_redirect_uri"),
    ({"redirect_uris": [{}]}, "invalid_redirect_uri"),
    ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
    ({"grant_types": "authorization_code"}, "invalid_client_metadata"),
    ({"grant_types": None}, "invalid_client_metadata"),
    ({"response_types": ["token"]}, "invalid_client_metadata"),
    ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
    ({"token_endpoint_auth_method": ["none"]}, "invalid_client_metadata"),
]


def test_rejected_registrations(case: Case) -> None:
    for change, code in REJECTED_CHANGES:
        with case(change):
            with pytest.raises(ClientMetadataError) as rejected:
                parse_registration({**EDITOR, **change}, SCHEMES)
            assert rejected.value.code == code


def test_only_acceptable_redirect_uris_of_a_document_are_kept() -> None:
    mixed = {**EDITOR, "redirect_uris": ["http://evil.example/", "other://x", REDIRECT]}
    assert parse_document(mixed, SCHEMES).redirects == (REDIRECT,)
    for unusable in (["http://evil.example/"], [], None):
        with pytest.raises(ClientMetadataError):
            parse_document({**EDITOR, "redirect_uris": unusable}, SCHEMES)


@pytest.mark.parametrize(
    "change", [{"client_secret": "x"}, {"token_endpoint_auth_method": "client_secret_basic"}]
)
def test_a_document_with_a_secret_is_rejected(change: dict[str, Any]) -> None:
    with pytest.raises(ClientMetadataError):
        parse_document({**EDITOR, **change}, SCHEMES)


SHOWN_NAMES = [
    ("Claude Code (plugin)", "Claude Code (plugin)"),
    ("  two\n\tlines ", "two lines"),
    ("\u202eevil\u200b name\x00", "evil name"),
    ("", UNNAMED),
    ("\u200b\n", UNNAMED),
    (7, UNNAMED),
    (None, UNNAMED),
    ("n" * 500, "n" * (NAME_LENGTH - 1) + "…"),
]


def test_names_are_shown_as_one_printable_line(case: Case) -> None:
    for text, shown in SHOWN_NAMES:
        with case(repr(text)[:40]):
            assert client_name(text) == shown


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(days=1), NOW - timedelta(seconds=1)


USES = [
    (None, LATER, "first"),
    (None, NOW, "expired"),
    (None, EARLIER, "expired"),
    (NOW, LATER, "again"),
    (NOW - REFRESH_GRACE, LATER, "again"),
    (NOW - REFRESH_GRACE - timedelta(microseconds=1), LATER, "reused"),
    # The reuse of a stolen token is detected even after expiry.
    (NOW - timedelta(days=1), EARLIER, "reused"),
]


def test_kinds_of_use(case: Case) -> None:
    for rotated_at, expires_at, use in USES:
        with case(f"{rotated_at}, {expires_at}"):
            assert classify_refresh(rotated_at, expires_at, NOW) == use


def test_write_includes_read() -> None:
    assert scope_text(["write"]) == "read write"
    assert scope_text(["write", "read", "read"]) == "read write"
    assert scope_text(["read"]) == "read"
    assert scope_text(["openid"]) == ""


def test_permissions_never_exceed_the_role_and_read_is_read_only(case: Case) -> None:
    for role in ROLES:
        with case(role):
            held = permissions_of(role)
            assert permissions_in("read write", held) == held & PUBLISHED
            viewable = permissions_in("read", held)
            assert viewable == {"repos:view", "builds:view", "recordings:view"}
            assert permissions_in("", held) == frozenset()
            assert permissions_in("other", held) == frozenset()


def test_a_viewer_cannot_grant_write() -> None:
    viewer, reviewer = permissions_of("viewer"), permissions_of("reviewer")
    assert not may_change(viewer)
    assert may_change(reviewer)
    assert limit_scope("read write", viewer) == "read"
    assert limit_scope("read write", reviewer) == "read write"
    assert limit_scope("read", reviewer) == "read"


@pytest.mark.parametrize(
    ("before", "offer", "granted", "after"),
    [
        ("read", "read write", "read write", "read write"),
        # Offered and declined: removed.
        ("read write", "read write", "read", "read"),
        # Not offered: unchanged.
        ("read write", "read", "read", "read write"),
        ("read", "read", "read", "read"),
    ],
)
def test_another_consent_changes_only_the_offered_scopes(
    before: str, offer: str, granted: str, after: str
) -> None:
    assert merge_consent(before, offer, granted) == after


def test_intersection() -> None:
    assert intersect_scopes("read write", "read") == "read"
    assert intersect_scopes("read write", "write read") == "read write"


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
