"""Store announced images after verifying their hash, format and size."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial

from visual_review.builds.images.blob_deletions import store_with_rows
from visual_review.builds.images.blob_keys import image_key, image_key_of
from visual_review.builds.images.image_memory import image_limits, image_memory
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.uploads import (
    IncomingImage,
    link_known_images,
    link_verified_images,
    record_upload,
    require_not_expired,
    unlinked_shots,
)
from visual_review.builds.states import UPLOADING
from visual_review.builds.time_slices import never_end
from visual_review.imagediff import (
    DEFAULT_LIMITS,
    ImageError,
    VerifiedImage,
    hash_pixels,
    probe,
)
from visual_review.imagediff.memory import hashing_memory, rendering_memory
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.errors import InvalidInputError, NotFoundError, TooLargeError
from visual_review.repositories.quotas import add_stored, lock_stored, require_storage

logger = logging.getLogger(__name__)

LARGEST_IMAGE = DEFAULT_LIMITS.file_bytes
# Remote storage has a high latency, and several requests take no longer than one.
CONNECTIONS = 8
IMAGES_AT_ONCE = 64
# Half a second of decoding on one core, unless a single image is larger.
PIXELS_AT_ONCE = 50_000_000
# Shorter than clients wait for a response.
WAIT_SECONDS = 20
LONGEST_QUEUE = 8
Reserve = Callable[[int], AbstractContextManager[None]]


def _reserved_before(_size: int) -> AbstractContextManager[None]:
    return nullcontext()


class ImageRefusedError(InvalidInputError):
    """The bytes are not the announced image; the message says why."""


@dataclass(frozen=True)
class AnnouncedImage:
    """An image announced by CI; width and height in pixels."""

    sha256: str
    width: int
    height: int

    def verify(self, data: bytes, reserve: Reserve = _reserved_before) -> VerifiedImage:
        """Decode ``data`` completely; raises ImageRefusedError for any other image.

        ``reserve`` is called with the needed bytes of memory.
        """
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise ImageRefusedError(
                f"The uploaded bytes do not have the announced hash {self.sha256}. They were "
                "damaged in transit, or the file changed. Publish again."
            )
        try:
            # The header is cheap to read, and excludes images that are expensive to decode.
            limits = image_limits()
            info = probe(data, limits)
            self._check_size(info.width, info.height)
            with reserve(len(data) + hashing_memory(info)):
                return hash_pixels(data, limits)
        except ImageError as error:
            raise ImageRefusedError(
                f"The uploaded image {self.sha256} cannot be read: {error}. Publish again "
                "with an intact PNG."
            ) from error

    def _check_size(self, width: int, height: int) -> None:
        if (width, height) != (self.width, self.height):
            raise ImageRefusedError(
                f"The uploaded image {self.sha256} is {width} x {height}, but was announced as "
                f"{self.width} x {self.height}. Announce the size of the PNG."
            )


def receive_image(upload: IncomingImage, data: bytes, blobs: BlobStore) -> None:
    """Verify and store bytes sent to the service itself; nothing remains of a refused image.

    Raises NotFoundError if the build announced no such image, ConflictError if the build is
    expired, ImageRefusedError, UnavailableError if no memory is free, or StorageFullError for a
    full disk or beyond the organization's quota.
    """
    rows = Screenshot.objects.filter(
        build_id=upload.build_id,
        build__repository__organization_id=upload.organization_id,
        build__repository__removed_at=None,
        sha256=upload.sha256,
    ).select_related("build")
    # Waiting screenshots are found by an index, and usually there are some.
    shot = rows.filter(image=None).exclude(sha256="").first() or rows.first()
    if shot is None:
        raise NotFoundError("No build expects this image. Publish again.")
    require_not_expired(shot.build)
    if shot.image_id is None:
        require_storage(upload.organization_id, len(data))
    announced = AnnouncedImage(upload.sha256, shot.width, shot.height)
    # Few may wait, because each holds a thread of the web process; clients try again.
    organization_id = upload.organization_id
    verified = announced.verify(
        data,
        lambda size: image_memory().reserve(organization_id, size, WAIT_SECONDS, LONGEST_QUEUE),
    )
    store_image(organization_id, data, verified, blobs)
    waiting = unlinked_shots(shot.build).filter(sha256=upload.sha256)
    link_verified_images(waiting, organization_id)
    if shot.build.status == UPLOADING:
        record_upload(shot.build)


def store_image(
    organization_id: str, data: bytes, verified: VerifiedImage, blobs: BlobStore
) -> None:
    """Store verified bytes under their content hash; once, however often called."""
    image = _image_row(organization_id, data, verified)
    store_with_rows(
        [image_key(image)],
        lambda: blobs.put(image_key(image), data),
        lambda _: _create_rows(organization_id, [image]),
    )


def _create_rows(organization_id: str, images: Sequence[Image]) -> None:
    """Create missing rows, and count their bytes."""
    counted = lock_stored(organization_id)
    if counted is not None:
        hashes = [image.sha256 for image in images]
        rows = Image.objects.filter(organization_id=organization_id, sha256__in=hashes)
        stored = set(rows.values_list("sha256", flat=True))
        add_stored(counted, sum(each.size for each in images if each.sha256 not in stored))
    Image.objects.bulk_create(images, ignore_conflicts=True)


def _image_row(organization_id: str, data: bytes, verified: VerifiedImage) -> Image:
    return Image(
        organization_id=organization_id,
        sha256=hashlib.sha256(data).hexdigest(),
        pixels_sha256=verified.pixels_sha256,
        width=verified.width,
        height=verified.height,
        size=len(data),
    )


# An image, and its row or the reason for its refusal.
Outcome = tuple[AnnouncedImage, Image | str]


def verify_images(build: Build, check_time: Callable[[], None] = never_end) -> None:
    """Verify the images uploaded directly to the storage, and link every image of the build.

    Screenshots of a refused image get the reason as their message, and no image. Safe to interrupt
    and repeat. Raises UnavailableError if the storage fails, and the errors of ``check_time``,
    called before each batch.
    """
    organization_id = build.repository.organization_id
    blobs = blob_store()
    link_known_images(unlinked_shots(build), build.repository)
    with ThreadPoolExecutor(CONNECTIONS, "verify") as pool:
        # In batches, to limit the rows and images in memory.
        for part in batches(_waiting(build)):
            check_time()
            _verify_part(build, part, partial(_verify_one, build, blobs), pool)
            # Only now: each screenshot has its image or the reason for its refusal.
            blobs.delete(
                [IncomingImage(organization_id, build.id, each.sha256).key for each in part]
            )


def batches(images: Iterable[AnnouncedImage]) -> Iterator[list[AnnouncedImage]]:
    """Yield the images in order, in lists limited by number and by pixels; pure."""
    batch: list[AnnouncedImage] = []
    pixels = 0
    for image in images:
        pixels += image.width * image.height
        if batch and (len(batch) == IMAGES_AT_ONCE or pixels > PIXELS_AT_ONCE):
            yield batch
            batch, pixels = [], image.width * image.height
        batch.append(image)
    if batch:
        yield batch


def _verify_part(
    build: Build,
    part: Sequence[AnnouncedImage],
    verify: Callable[[AnnouncedImage], Image | str],
    pool: Executor,
) -> None:
    organization_id = build.repository.organization_id
    outcomes = store_with_rows(
        [image_key_of(organization_id, each.sha256) for each in part],
        lambda: list(zip(part, pool.map(verify, part), strict=True)),
        partial(_write_rows, organization_id),
    )
    stored = [announced.sha256 for announced, outcome in outcomes if isinstance(outcome, Image)]
    link_verified_images(unlinked_shots(build).filter(sha256__in=stored), organization_id)
    for announced, outcome in outcomes:
        if isinstance(outcome, str):
            logger.warning("an image of build %s was refused: %s", build.id, outcome)
            unlinked_shots(build).filter(sha256=announced.sha256).update(message=outcome)


def _write_rows(organization_id: str, outcomes: list[Outcome]) -> list[Outcome]:
    images = [outcome for _, outcome in outcomes if isinstance(outcome, Image)]
    _create_rows(organization_id, images)
    return outcomes


def _waiting(build: Build) -> Iterator[AnnouncedImage]:
    rows = unlinked_shots(build).order_by("sha256")
    distinct = rows.values_list("sha256", "width", "height").distinct()
    return (AnnouncedImage(*row) for row in list(distinct))


def _verify_one(build: Build, blobs: BlobStore, announced: AnnouncedImage) -> Image | str:
    """Store the bytes; return the row to write, or why they are refused. Runs in a thread."""
    organization_id = build.repository.organization_id
    upload = IncomingImage(organization_id, build.id, announced.sha256)
    try:
        size = _check_uploaded(upload, blobs)
        # The header is not read yet, so the memory is the need of an image of any form.
        memory = size + rendering_memory((announced.width, announced.height))
        with image_memory().reserve(organization_id, memory):
            data = _fetch(upload, blobs)
            image = _image_row(organization_id, data, announced.verify(data))
            blobs.put(image_key(image), data)
            return image
    except (ImageRefusedError, TooLargeError) as error:
        return str(error)


def _check_uploaded(upload: IncomingImage, blobs: BlobStore) -> int:
    """Return the size, checked so that no huge object is ever read into memory."""
    size = blobs.size(upload.key)
    if size is not None and size > LARGEST_IMAGE:
        raise TooLargeError(
            f"The uploaded image {upload.sha256} has {size} bytes; the limit is {LARGEST_IMAGE}. "
            "Capture smaller images and publish again."
        )
    return size or 0


def _fetch(upload: IncomingImage, blobs: BlobStore) -> bytes:
    try:
        return blobs.get(upload.key)
    except BlobMissingError as error:
        raise ImageRefusedError(
            f"The image {upload.sha256} was announced but never uploaded. Publish again."
        ) from error
