"""Sends the manifest in chunks, and uploads only the images missing on the service."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from typing import Any, Final

from visual_review.client.capture import Variant, clip_regions
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import BuildContents, Entry
from visual_review.client.publishing.responses import CreatedBuild, Progress, Service, Upload
from visual_review.client.transport.errors import ConflictError, PublishError, UploadUrlError

# As many as the service accepts in one call.
CHUNK: Final = 500
PARALLEL: Final = 8
# URLs may expire while a slow connection uploads a chunk, so more than one round.
ROUNDS: Final = 4


def upload(
    service: Service,
    build: CreatedBuild,
    contents: BuildContents,
    shard: int,
    reporter: Reporter,
    sent: Mapping[tuple[str, Variant], Entry] | None = None,
) -> Progress:
    """Announce entries not ``sent`` before, upload missing images and finish the shard.

    Raises ServiceError as ``Service`` does, and PublishError if images keep missing.
    """
    before = sent or {}
    waiting = [
        each for each in contents.entries if before.get((each.story_id, each.variant)) != each
    ]
    for _ in range(ROUNDS):
        _upload_entries(service, build, waiting, contents, shard, reporter)
        try:
            return service.finish(build.id, shard, theme_evidence(contents))
        except ConflictError as error:
            if not error.missing:
                raise
            missing = frozenset(error.missing)
        waiting = [entry for entry in contents.entries if entry.sha256 in missing]
        if not waiting:
            raise PublishError(
                "The server expects images that this run does not have: "
                f"{', '.join(sorted(missing)[:5])}. Publish again with a different --nonce."
            )
    raise PublishError(
        f"{len(waiting)} images did not arrive in {ROUNDS} attempts. Publish again; if that does "
        "not help, check the server's storage."
    )


def theme_evidence(contents: BuildContents) -> Mapping[str, Any] | None:
    """Return the evidence about the theme, if the theme matters."""
    finding = contents.theme_finding
    if finding is None or not finding.matters:
        return None
    return finding.to_json()


def _upload_entries(
    service: Service,
    build: CreatedBuild,
    entries: Sequence[Entry],
    contents: BuildContents,
    shard: int,
    reporter: Reporter,
) -> None:
    # Chunks may share an image; the service requests the image until the image has arrived.
    sent: set[str] = set()
    for chunk in _split_into_chunks(entries):
        uploads = announce_entries(service, build, chunk, contents, shard)
        needed = [each for each in uploads if each.sha256 not in sent]
        if needed:
            reporter.begin("Uploading images", len(needed))
            try:
                put_images(service, needed, contents, PARALLEL, reporter.advance)
            finally:
                reporter.end()
        sent |= {each.sha256 for each in uploads}


def announce_entries(
    service: Service,
    build: CreatedBuild,
    entries: Sequence[Entry],
    contents: BuildContents,
    shard: int,
) -> list[Upload]:
    """Announce a chunk of entries, and return the needed images with their URLs."""
    manifest = [_to_json(entry, build, contents) for entry in entries]
    return service.announce(build.id, shard, manifest)


def _to_json(entry: Entry, build: CreatedBuild, contents: BuildContents) -> dict[str, Any]:
    body = entry.to_json()
    if entry.unstable:
        body["unstable"] = entry.unstable
    if entry.regions:
        # The server refuses a whole chunk if a region reaches beyond the image.
        regions = clip_regions(entry.regions, entry.width, entry.height)
        body["regions"] = [asdict(region) for region in regions]
    if entry.notes:
        body["notes"] = [asdict(note) for note in entry.notes]
    if build.direct_uploads and not entry.error:
        body["size"] = contents.files[entry.sha256].stat().st_size
    return body


def put_images(
    service: Service,
    uploads: Sequence[Upload],
    contents: BuildContents,
    parallel: int,
    advance: Callable[[], None] = lambda: None,
) -> None:
    """Upload images, skipping those whose URL has expired. Raises PublishError."""
    pool = ThreadPoolExecutor(parallel, thread_name_prefix="upload")
    try:
        futures = [pool.submit(_upload_image, service, each, contents) for each in uploads]
        for future in as_completed(futures):
            future.result()
            advance()
    finally:
        # After an error or Ctrl-C, waiting uploads are canceled.
        pool.shutdown(wait=False, cancel_futures=True)


def _upload_image(service: Service, each: Upload, contents: BuildContents) -> None:
    file = contents.files.get(each.sha256)
    if file is None:
        raise PublishError(
            f"The server requested the image {each.sha256}, which was not announced."
        )
    try:
        service.put_image(each, file)
    except UploadUrlError:
        # The next round gets a new URL, because finish reports the image as missing.
        return


def _split_into_chunks(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), CHUNK):
        yield entries[start : start + CHUNK]
