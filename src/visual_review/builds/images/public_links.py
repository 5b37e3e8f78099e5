"""Signed URLs of the composites in comments at Git providers; no sign-in needed.

The storage signs its own URLs for a week at most, so the service signs these URLs. Every reader of
the comment sees the image, until the URL expires or the repository's setting is turned off.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, SignatureExpired, TimestampSigner

from visual_review.builds.images.composites import ReadableImage, image_for_reading
from visual_review.builds.models import Screenshot
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id

LINK_LIFETIME: Final = timedelta(days=30)
PATH: Final = "/shared-pictures"
IMAGE_NOT_FOUND: Final = "This image no longer exists."
LINK_EXPIRED: Final = "This link has expired. Open the build's page to see the image."
# Django signs with the same key; with a separate salt, no other signature is accepted here.
_SALT: Final = "visual_review.shared_pictures"
LONGEST_TOKEN: Final = 200


def create_shared_link(screenshot_id: str) -> str:
    """Return a URL of the screenshot's composite, valid for 30 days."""
    return f"{settings.PUBLIC_URL}{PATH}/{_signer().sign(screenshot_id)}"


def read_shared_image(token: str) -> ReadableImage:
    """Return the composite for a signed ``token``; raises NotFoundError for an invalid token."""
    shot = (
        Screenshot.objects.filter(
            pk=_screenshot_id(token),
            build__repository__removed_at=None,
            build__repository__comment_pictures=True,
        )
        .select_related("build__repository")
        .first()
    )
    if shot is None:
        raise NotFoundError(IMAGE_NOT_FOUND)
    return image_for_reading(shot.build.repository.organization_id, shot.id, "composite")


def _screenshot_id(token: str) -> str:
    try:
        found = _signer().unsign(token[:LONGEST_TOKEN], max_age=LINK_LIFETIME)
    except SignatureExpired as error:
        raise NotFoundError(LINK_EXPIRED) from error
    except BadSignature as error:
        raise NotFoundError(IMAGE_NOT_FOUND) from error
    if not is_id(found, "shot"):
        raise NotFoundError(IMAGE_NOT_FOUND)
    return found


def _signer() -> TimestampSigner:
    return TimestampSigner(salt=_SALT, sep=".")
