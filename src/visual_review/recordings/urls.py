"""URLs of the pages where people watch recordings."""

from django.conf import settings


def recording_page(recording_id: str) -> str:
    return f"{settings.PUBLIC_URL}/recordings/{recording_id}"
