"""Events of deliveries as JSON that the database keeps until a job handles them."""

from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import Event

_EVENTS: Final = TypeAdapter(Event)


def to_json(event: Event) -> dict[str, Any]:
    """What ``event_of`` reads again; texts without what no database can keep."""
    # In Python's own types: JSON text would refuse halves of characters instead of mending them.
    document: dict[str, Any] = _cleaned(_EVENTS.dump_python(event))
    pull_request = document["pull_request"]
    if pull_request and pull_request["updated_at"]:
        pull_request["updated_at"] = pull_request["updated_at"].isoformat()
    return document


def event_of(document: dict[str, Any]) -> Event:
    """The event; raises HostAnswerError for what ``to_json`` never wrote."""
    try:
        return _EVENTS.validate_python(document)
    except ValidationError as error:
        raise HostResponseError("The stored delivery cannot be read.") from error


def clean(text: str) -> str:
    """``text`` without zero characters and halves of characters, which JSON can carry."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _cleaned(value: Any) -> Any:  # noqa: ANN401 - Whatever a document holds.
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _cleaned(one) for name, one in value.items()}
    return value
