"""Sends the manifest in chunks, and of the images only those the service does not have."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final

from visual_review.client.publishing.api import Service
from visual_review.client.publishing.build_images import Entry, Material
from visual_review.client.publishing.responses import Progress, Upload
from visual_review.client.reporter import Reporter
from visual_review.client.transport.errors import ConflictError, PublishError, UploadUrlError

# As many as the service takes in one call.
CHUNK: Final = 500
PARALLEL: Final = 8
# An address may end while a slow line works off a chunk, hence more than one round.
ROUNDS: Final = 4


def upload(
    service: Service, build_id: str, material: Material, shard: int, reporter: Reporter
) -> Progress:
    """Announce every entry, upload what is missing and finish the shard.

    Raises ServiceError as ``Service`` does, and when images do not arrive in several rounds.
    """
    waiting: Sequence[Entry] = material.entries
    for _ in range(ROUNDS):
        _send(service, build_id, waiting, material, shard, reporter)
        try:
            return service.finish(build_id, shard)
        except ConflictError as error:
            if not error.missing:
                raise
            missing = frozenset(error.missing)
        waiting = [entry for entry in material.entries if entry.sha256 in missing]
        if not waiting:
            raise PublishError(
                "The server waits for images that this run does not have: "
                f"{', '.join(sorted(missing)[:5])}. Publish again with another --nonce."
            )
    raise PublishError(
        f"{len(waiting)} images did not arrive in {ROUNDS} rounds. Publish again; if it stays so, "
        "look at the server's storage."
    )


def _send(
    service: Service,
    build_id: str,
    entries: Sequence[Entry],
    material: Material,
    shard: int,
    reporter: Reporter,
) -> None:
    # Chunks may name the same image, and its upload is asked for until it is there.
    sent: set[str] = set()
    for chunk in _chunks(entries):
        uploads = service.announce(build_id, shard, [entry.document() for entry in chunk])
        _put_all(service, [each for each in uploads if each.sha256 not in sent], material, reporter)
        sent |= {each.sha256 for each in uploads}


def _put_all(
    service: Service, uploads: Sequence[Upload], material: Material, reporter: Reporter
) -> None:
    if not uploads:
        return
    reporter.begin("Uploading images", len(uploads))
    pool = ThreadPoolExecutor(PARALLEL, thread_name_prefix="upload")
    try:
        futures = [pool.submit(_put, service, each, material) for each in uploads]
        for future in as_completed(futures):
            future.result()
            reporter.advance()
    finally:
        # After an error or Ctrl-C nobody waits for what has not begun.
        pool.shutdown(wait=False, cancel_futures=True)
        reporter.end()


def _put(service: Service, each: Upload, material: Material) -> None:
    file = material.files.get(each.sha256)
    if file is None:
        raise PublishError(f"The server asks for the image {each.sha256}, which was not announced.")
    try:
        service.put_image(each, file)
    except UploadUrlError:
        # The next round asks for a new address; finish tells that the image is missing.
        return


def _chunks(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), CHUNK):
        yield entries[start : start + CHUNK]
