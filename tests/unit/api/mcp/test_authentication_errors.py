"""The challenge of a 401 or 403 for a client."""

from visual_review.api.mcp.endpoint import build_challenge

URL = "https://reviews.example.com"
METADATA = f'resource_metadata="{URL}/.well-known/oauth-protected-resource/api/mcp"'


def test_a_first_challenge_names_scope_and_metadata_and_no_error() -> None:
    assert build_challenge(URL) == f'Bearer realm="Visual Review", scope="read write", {METADATA}'


def test_a_challenge_for_more_names_what_lacked() -> None:
    value = build_challenge(URL, "insufficient_scope", "The app may only read.")
    assert 'error="insufficient_scope"' in value
    assert 'error_description="The app may only read."' in value
    assert value.endswith(METADATA)
