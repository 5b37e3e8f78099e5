"""Messages that are shown next to what they are about, instead of at the top of the page."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django.contrib.messages.storage.base import Message


class PlacedMessages(NamedTuple):
    """``at`` has those of a place on the page by its anchor; ``top`` has all others."""

    top: list[Message]
    at: Mapping[str, list[Message]]


def place_messages(messages: Iterable[Any], anchors: Collection[str]) -> PlacedMessages:
    """Divide messages by their extra tags, which are the anchor of their place."""
    top: list[Message] = []
    at: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        (at[message.extra_tags] if message.extra_tags in anchors else top).append(message)
    return PlacedMessages(top, dict(at))
