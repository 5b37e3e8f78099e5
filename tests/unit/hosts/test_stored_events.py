"""Webhook events as stored in the database."""

import json
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import (
    Event,
    HostPullRequest,
    parse_stored_event,
    strip_invalid_characters,
    to_json,
)

texts = st.text(max_size=20)
pull_requests = st.builds(
    HostPullRequest,
    number=st.integers(1, 2**31 - 1),
    title=texts,
    state=st.sampled_from(["open", "closed", "merged"]),
    head_branch=texts,
    head_repository=texts,
    head_commit=texts,
    base_branch=texts,
    merge_commit=texts,
    updated_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)
kinds = ["pull_request", "branch_deleted", "repository_renamed", "repository_removed", "ping"]
events = st.builds(
    Event,
    kind=st.sampled_from(kinds),
    delivery_id=texts,
    repository_id=texts,
    full_name=texts,
    pull_request=st.none() | pull_requests,
    branch=texts,
)


@given(events)
def test_an_event_survives_a_round_trip(event: Event) -> None:
    stored = json.loads(json.dumps(to_json(event)))
    # Only null characters and lone surrogates are lost.
    assert parse_stored_event(stored) == parse_stored_event(to_json(parse_stored_event(stored)))
    if "\x00" not in repr(event) and "\\x00" not in repr(event):
        assert parse_stored_event(stored) == event


def test_characters_the_database_cannot_store_are_removed() -> None:
    assert strip_invalid_characters("a\x00b\ud800c") == "ab?c"
    event = Event("branch_deleted", "d\x00", branch="x\udfff")
    assert to_json(event)["branch"] == "x?"


@pytest.mark.parametrize("document", [{}, {"kind": "party"}, {"kind": "ping"}])
def test_an_invalid_document_is_rejected(document: dict[str, object]) -> None:
    with pytest.raises(HostResponseError):
        parse_stored_event(document)
