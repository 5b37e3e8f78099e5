"""Announced bytes become images: only after hash, form and size were seen to be true."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice

from visual_review.builds.images.keys import image_key
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.upload_session import record_upload, require_not_expired
from visual_review.builds.publishing.uploads import Incoming, link_images, unlinked_shots
from visual_review.builds.states import UPLOADING
from visual_review.imagediff import (
    DEFAULT_LIMITS,
    ImageError,
    VerifiedImage,
    pixels_sha256,
    probe,
)
from visual_review.kernel.blob_locks import storing
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.errors import InvalidInputError, NotFoundError, TooLargeError

LARGEST_IMAGE = DEFAULT_LIMITS.file_bytes
LONGEST_SIDE = DEFAULT_LIMITS.side
MOST_PIXELS = DEFAULT_LIMITS.pixels
# Storage far away answers slowly, and several questions take no longer than one.
CONNECTIONS = 8
IMAGES_AT_ONCE = 64


class ImageRefusedError(InvalidInputError):
    """The bytes are not the image that was announced; the text says in what way."""


@dataclass(frozen=True)
class Announced:
    """What CI said an image is; width and height in pixels."""

    sha256: str
    width: int
    height: int

    def verify(self, data: bytes) -> VerifiedImage:
        """Read ``data`` to its end; raises ImageRefusedError unless it is this image."""
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise ImageRefusedError(
                f"The uploaded bytes do not have the announced hash {self.sha256}. They were "
                "damaged on the way, or the file changed; publish again."
            )
        try:
            # The header is cheap to read and refuses what would be dear to decode.
            info = probe(data)
            self._check_size(info.width, info.height)
            return pixels_sha256(data)
        except ImageError as error:
            raise ImageRefusedError(
                f"The uploaded image {self.sha256} cannot be read: {error}. Publish again "
                "with an intact PNG."
            ) from error

    def _check_size(self, width: int, height: int) -> None:
        if (width, height) != (self.width, self.height):
            raise ImageRefusedError(
                f"The uploaded image {self.sha256} is {width} x {height}, but was announced as "
                f"{self.width} x {self.height}. Announce the size the PNG has."
            )


def receive_image(place: Incoming, data: bytes, blobs: BlobStore) -> None:
    """Verify bytes sent straight to us and store them; nothing stays of what is refused.

    Raises NotFoundError when the build announced no such image, ConflictError when it is
    expired, ImageRefusedError, or StorageFullError.
    """
    rows = Screenshot.objects.filter(
        build_id=place.build_id,
        build__repository__organization_id=place.organization_id,
        build__repository__removed_at=None,
        sha256=place.sha256,
    ).select_related("build")
    # Those that still wait are found by an index, and most of the time there are some.
    shot = rows.filter(image=None).exclude(sha256="").first() or rows.first()
    if shot is None:
        raise NotFoundError("No build waits for this image. Publish again.")
    require_not_expired(shot.build)
    verified = Announced(place.sha256, shot.width, shot.height).verify(data)
    store_image(place.organization_id, data, verified, blobs)
    waiting = unlinked_shots(shot.build).filter(sha256=place.sha256)
    link_images(waiting, place.organization_id)
    if shot.build.status == UPLOADING:
        record_upload(shot.build)


def store_image(
    organization_id: str, data: bytes, verified: VerifiedImage, blobs: BlobStore
) -> None:
    """Keep verified bytes under their content's name; once, however often it is called."""
    with storing(organization_id):
        image = _keep_bytes(organization_id, data, verified, blobs)
        Image.objects.bulk_create([image], ignore_conflicts=True)


def _keep_bytes(
    organization_id: str, data: bytes, verified: VerifiedImage, blobs: BlobStore
) -> Image:
    """The row to be written. The bytes come first: a row must never name what is not there."""
    image = Image(
        organization_id=organization_id,
        sha256=hashlib.sha256(data).hexdigest(),
        pixels_sha256=verified.pixels_sha256,
        width=verified.width,
        height=verified.height,
        size=len(data),
    )
    blobs.put(image_key(image), data)
    return image


def verify_images(build: Build) -> None:
    """Verify what storage took without asking us, and link every image of the build.

    A refused image makes its screenshots carry the reason as their message, with no image.
    May be cut off anywhere and called again. Raises UnavailableError when storage fails.
    """
    organization_id = build.repository.organization_id
    blobs = blob_store()
    link_images(unlinked_shots(build), organization_id)
    waiting = _waiting(build)
    with ThreadPoolExecutor(CONNECTIONS, "verify") as pool:
        # In parts, so that neither rows nor images pile up in memory.
        while part := list(islice(waiting, IMAGES_AT_ONCE)):
            _verify_part(build, part, partial(_verify_one, build, blobs), pool)
            places = (Incoming(organization_id, build.id, each.sha256) for each in part)
            # Only now: a row that names each image stands, or the refusal does.
            list(pool.map(lambda place: blobs.delete([place.key]), places))
    link_images(unlinked_shots(build), organization_id)


def _verify_part(
    build: Build,
    part: Sequence[Announced],
    verify: Callable[[Announced], Image | str],
    pool: Executor,
) -> None:
    with storing(build.repository.organization_id):
        outcomes = list(zip(part, pool.map(verify, part), strict=True))
        images = [outcome for _, outcome in outcomes if isinstance(outcome, Image)]
        Image.objects.bulk_create(images, ignore_conflicts=True)
    for announced, outcome in outcomes:
        if isinstance(outcome, str):
            unlinked_shots(build).filter(sha256=announced.sha256).update(message=outcome)


def _waiting(build: Build) -> Iterator[Announced]:
    rows = unlinked_shots(build).order_by("sha256")
    distinct = rows.values_list("sha256", "width", "height").distinct()
    return (Announced(*row) for row in list(distinct))


def _verify_one(build: Build, blobs: BlobStore, announced: Announced) -> Image | str:
    """The image's row, or why it is refused. Runs in a thread, without the database."""
    organization_id = build.repository.organization_id
    try:
        data = _fetch(Incoming(organization_id, build.id, announced.sha256), blobs)
        return _keep_bytes(organization_id, data, announced.verify(data), blobs)
    except (ImageRefusedError, TooLargeError) as error:
        return str(error)


def _fetch(place: Incoming, blobs: BlobStore) -> bytes:
    # Asked for first, so that no huge object is ever read into memory.
    size = blobs.size(place.key)
    if size is not None and size > LARGEST_IMAGE:
        raise TooLargeError(
            f"The uploaded image {place.sha256} has {size} bytes; at most {LARGEST_IMAGE} are "
            "taken. Capture smaller pictures and publish again."
        )
    try:
        return blobs.get(place.key)
    except BlobMissingError as error:
        raise ImageRefusedError(
            f"The image {place.sha256} was announced but never arrived. Publish again."
        ) from error
