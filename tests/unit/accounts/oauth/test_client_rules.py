"""What clients say of themselves, as real ones do and as hostile ones would."""

from typing import Any

import pytest

from tests.support.case import Case
from visual_review.accounts.oauth.client_rules import (
    NAME_LENGTH,
    UNNAMED,
    ClientRefusedError,
    client_name,
    documented,
    registered,
)

SCHEMES = ("vscode",)
REDIRECT = "http://127.0.0.1:33418/cb"
# As an editor in use registers itself, with members we do not know.
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


def test_a_client_in_use_is_taken_with_what_it_may_have() -> None:
    facts = registered(EDITOR, SCHEMES)
    assert facts.name == "Editor"
    assert list(facts.redirects) == EDITOR["redirect_uris"]
    assert registered({"redirect_uris": [REDIRECT]}, SCHEMES).name == UNNAMED


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_a_client_that_would_take_a_secret_goes_without(method: str) -> None:
    assert registered({**EDITOR, "token_endpoint_auth_method": method}, SCHEMES)


REFUSED_CHANGES = [
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


def test_refused(case: Case) -> None:
    for change, code in REFUSED_CHANGES:
        with case(change):
            with pytest.raises(ClientRefusedError) as refused:
                registered({**EDITOR, **change}, SCHEMES)
            assert refused.value.code == code


def test_a_document_keeps_the_redirects_that_are_accepted_here() -> None:
    mixed = {**EDITOR, "redirect_uris": ["http://evil.example/", "other://x", REDIRECT]}
    assert documented(mixed, SCHEMES).redirects == (REDIRECT,)
    for useless in (["http://evil.example/"], [], None):
        with pytest.raises(ClientRefusedError):
            documented({**EDITOR, "redirect_uris": useless}, SCHEMES)


@pytest.mark.parametrize(
    "change", [{"client_secret": "x"}, {"token_endpoint_auth_method": "client_secret_basic"}]
)
def test_a_document_with_a_secret_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ClientRefusedError):
        documented({**EDITOR, **change}, SCHEMES)


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


def test_names_are_one_printable_line(case: Case) -> None:
    for text, shown in SHOWN_NAMES:
        with case(repr(text)[:40]):
            assert client_name(text) == shown
