"""Client metadata, of real and of hostile clients."""

from typing import Any

import pytest

from tests.support.case import Case
from visual_review.accounts.oauth.client_rules import (
    NAME_LENGTH,
    UNNAMED,
    ClientMetadataError,
    client_name,
    parse_document,
    parse_registration,
)

SCHEMES = ("vscode",)
REDIRECT = "http://127.0.0.1:33418/cb"
# The registration of a real editor, with members that we do not know.
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
