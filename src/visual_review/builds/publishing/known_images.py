"""The images that CI may refer to by their hash, without sending their bytes.

Bytes are stored once per organization, but a hash proves nothing: a caller who announces the hash
of another repository's image would see the image in a build of their own. So a repository knows an
image only once its bytes were sent for one of its builds.
"""

from django.db.models import Exists, OuterRef, QuerySet

from visual_review.builds.models import BaselineEntry, Image, Screenshot
from visual_review.repositories.models import Repository


def known_images(repository: Repository) -> QuerySet[Image]:
    """Return the images in builds and baselines of the repository, and of no other."""
    # Entries first: most images belong to a baseline, and each image has few entries.
    entries = BaselineEntry.objects.filter(
        image=OuterRef("pk"), baseline__product__repository=repository
    )
    shots = Screenshot.objects.filter(image=OuterRef("pk"), build__repository=repository)
    return Image.objects.filter(
        Exists(entries) | Exists(shots), organization_id=repository.organization_id
    )
