"""Messages next to what they are about."""

from collections.abc import Mapping, Sequence

from django import template
from django.contrib.messages.storage.base import Message

register = template.Library()


@register.filter
def at_place(placed: Mapping[str, Sequence[Message]], place: str) -> Sequence[Message]:
    """Return the messages of the place with this anchor."""
    return placed.get(place, ())
