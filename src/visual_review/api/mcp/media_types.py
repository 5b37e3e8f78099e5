"""The content types of messages, and those that clients accept; pure."""

from typing import Final

from django.http.request import MediaType

from visual_review.api.json_bodies import JSON_TYPE

_UTF8: Final = frozenset({"utf-8", "utf8"})


def is_json(content_type: str) -> bool:
    """Whether a body of this type is JSON in UTF-8, the only encoding JSON has."""
    media = MediaType(content_type)
    charset = media.params.get("charset", "utf-8").lower()
    return f"{media.main_type}/{media.sub_type}".lower() == JSON_TYPE and charset in _UTF8


def takes_json(accept: str) -> bool:
    """Whether a client with this ``Accept`` takes JSON; without one it takes anything."""
    if not accept.strip():
        return True
    ranges = map(MediaType, accept.split(","))
    return any(media.quality > 0 and media.match(JSON_TYPE) for media in ranges)
