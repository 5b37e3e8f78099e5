"""Webhook events as JSON, stored in the database until a job handles them."""

from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import Event

_EVENTS: Final = TypeAdapter(Event)


def to_json(event: Event) -> dict[str, Any]:
    """Return JSON for ``parse_stored_event``, without characters invalid in PostgreSQL."""
    # As Python objects: serializing to JSON text would fail on lone surrogates.
    document: dict[str, Any] = _strip_all(_EVENTS.dump_python(event))
    pull_request = document["pull_request"]
    if pull_request and pull_request["updated_at"]:
        pull_request["updated_at"] = pull_request["updated_at"].isoformat()
    return document


def parse_stored_event(document: dict[str, Any]) -> Event:
    """Return the event; raises HostResponseError for JSON not written by ``to_json``."""
    try:
        return _EVENTS.validate_python(document)
    except ValidationError as error:
        raise HostResponseError("The stored delivery cannot be read.") from error


def strip_invalid_characters(text: str) -> str:
    """Return ``text`` without null characters and lone surrogates, both allowed in JSON."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _strip_all(value: Any) -> Any:  # noqa: ANN401 - Whatever a document holds.
    if isinstance(value, str):
        return strip_invalid_characters(value)
    if isinstance(value, dict):
        return {name: _strip_all(one) for name, one in value.items()}
    return value
