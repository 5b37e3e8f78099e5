"""Addresses of composites that stand in comments at source hosts: signed, without a sign-in.

The storage signs its own addresses for a week at most, so these are the service's own. Whoever
may read the comment sees the picture, until the address ends or the repository's setting is off.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, SignatureExpired, TimestampSigner

from visual_review.builds.images.composites import ReadableImage, image_for_reading
from visual_review.builds.models import Screenshot
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id

LASTING: Final = timedelta(days=30)
PATH: Final = "/shared-pictures"
GONE: Final = "There is no picture at this address any more."
ENDED: Final = "This address has ended. The build's page shows the picture."
# Django signs with the secret key too; by a salt of its own no signature passes for another.
_SALT: Final = "visual_review.shared_pictures"
LONGEST_TOKEN: Final = 200


def shared_link(screenshot_id: str) -> str:
    """An address of the screenshot's composite that lasts for 30 days."""
    return f"{settings.PUBLIC_URL}{PATH}/{_signer().sign(screenshot_id)}"


def shared_image(token: str) -> ReadableImage:
    """The composite that ``token`` was signed for; raises NotFoundError for all others."""
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
        raise NotFoundError(GONE)
    return image_for_reading(shot.build.repository.organization_id, shot.id, "composite")


def _screenshot_id(token: str) -> str:
    try:
        found = _signer().unsign(token[:LONGEST_TOKEN], max_age=LASTING)
    except SignatureExpired as error:
        raise NotFoundError(ENDED) from error
    except BadSignature as error:
        raise NotFoundError(GONE) from error
    if not is_id(found, "shot"):
        raise NotFoundError(GONE)
    return found


def _signer() -> TimestampSigner:
    return TimestampSigner(salt=_SALT, sep=".")
