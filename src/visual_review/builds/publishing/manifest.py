"""The manifest: the captured screenshots, announced in chunks before any image is sent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from django.db import IntegrityError, transaction

from visual_review.builds.bulk_update import update_rows
from visual_review.builds.models import Build, BuildShard, Image, Screenshot
from visual_review.builds.publishing.requests import AnnouncedShot
from visual_review.builds.publishing.uploads import (
    known_images,
    record_upload,
    repository_build,
    require_not_expired,
    require_shard,
)
from visual_review.builds.states import REMOVED, UPLOADING
from visual_review.builds.story_regions import to_json
from visual_review.builds.variants import VariantKey
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.repositories.models import Repository
from visual_review.repositories.quotas import count_pixels, require_storage

SHOT_FIELDS = (
    "title",
    "sha256",
    "width",
    "height",
    "source_hash",
    "renderer_hash",
    "threshold",
)
Rows = Mapping[VariantKey, Screenshot]


@dataclass(frozen=True)
class Size:
    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width} x {self.height}"


def add_screenshots(
    repository: Repository, build_id: str, shard: int, shots: Sequence[AnnouncedShot]
) -> list[str]:
    """Add a chunk of the manifest and return the hashes whose images must be sent.

    Adds the whole chunk or nothing. The same screenshots may be announced again; until the shard
    has finished, new contents replace its earlier ones. Raises InvalidInputError for a story or
    variant outside the build, ConflictError for a story and variant of another shard, or a shard or
    build that accepts no more; StorageFullError or TooManyAttemptsError beyond a quota of the
    organization.
    """
    try:
        return _add(repository, build_id, shard, shots)
    except IntegrityError:
        # An image just found was deleted with the last repository that used it.
        return _add(repository, build_id, shard, shots)


@transaction.atomic
def _add(
    repository: Repository, build_id: str, shard: int, shots: Sequence[AnnouncedShot]
) -> list[str]:
    build = repository_build(repository, build_id, lock=True)
    require_not_expired(build)
    require_shard(build, shard)
    _check_scope(build, shots)
    _check_repeats(shots)
    known = _known_images(repository, shots)
    _check_sizes(build, shots, known)
    before = _announced_before(build, shots)
    fresh = _without_repeats(before, shots)
    is_open = _is_open(build, shard)
    if fresh and not is_open:
        raise _finished(build, shard)
    _require_own(shard, before, fresh)
    _count_new_images(build, fresh, known)
    if is_open:
        _update_findings(before, shots, shard)
    _store(build, shard, before, [(shot, known.get(shot.sha256)) for shot in fresh])
    # A retry after the shard finished: everything was added before, and no upload is expected.
    if _closed(build):
        return []
    record_upload(build)
    wanted = dict.fromkeys(shot.sha256 for shot in shots if shot.sha256)
    return [sha256 for sha256 in wanted if sha256 not in known]


def _closed(build: Build) -> bool:
    return build.status != UPLOADING


def _is_open(build: Build, shard: int) -> bool:
    finished = BuildShard.objects.filter(build=build, index=shard, finished_at__isnull=False)
    return not _closed(build) and not finished.exists()


def _finished(build: Build, shard: int) -> ConflictError:
    return ConflictError(
        f"Shard {shard} of build {build.number} is already finished and accepts no "
        "more screenshots. Publish again with a new nonce."
    )


def _check_scope(build: Build, shots: Sequence[AnnouncedShot]) -> None:
    variants = {tuple(variant) for variant in (*build.matrix, *build.detection_variants)}
    stories = None if build.story_ids is None else set(build.story_ids)
    problems = []
    for index, shot in enumerate(shots):
        if (shot.theme, shot.device) not in variants:
            fault = (
                f"'{shot.story_id}' was captured in {shot.theme} {shot.device}, which is neither "
                "in the build's matrix nor in its detectionVariants"
            )
            problems.append((f"/screenshots/{index}", fault))
        elif stories is not None and shot.story_id not in stories:
            fault = f"'{shot.story_id}' is not among the storyIds of this partial build"
            problems.append((f"/screenshots/{index}/storyId", fault))
    _raise_if_any(problems)


def _raise_if_any(problems: list[tuple[str, str]]) -> None:
    if problems:
        listed = "; ".join(text for _, text in problems[:3])
        raise InvalidInputError(f"This chunk was not added: {listed}.", problems)


def _check_repeats(shots: Sequence[AnnouncedShot]) -> None:
    seen: dict[VariantKey, AnnouncedShot] = {}
    for shot in shots:
        if seen.setdefault(_key(shot), shot) != shot:
            raise _conflict(_key(shot), "twice in this chunk, with different contents")


def _conflict(key: VariantKey, fault: str) -> ConflictError:
    return ConflictError(
        f"The story '{key.story_id}' in {key.theme} {key.device} is announced {fault}. "
        "This chunk was not added. A build has one screenshot of each story and variant: make "
        "story ids unique, and capture each story in one shard only."
    )


def _known_images(repository: Repository, shots: Iterable[AnnouncedShot]) -> dict[str, Image]:
    # A hash must not reveal or claim an image of another repository or organization.
    hashes = {shot.sha256 for shot in shots if shot.sha256}
    rows = known_images(repository).filter(sha256__in=hashes)
    return {row.sha256: row for row in rows}


def _check_sizes(build: Build, shots: Sequence[AnnouncedShot], known: Mapping[str, Image]) -> None:
    # A hash identifies one image, so its size is always the same.
    sizes = {sha256: Size(row.width, row.height) for sha256, row in known.items()}
    hashes = {shot.sha256 for shot in shots if shot.sha256 and shot.sha256 not in sizes}
    before = Screenshot.objects.filter(build=build, sha256__in=hashes).order_by()
    for sha256, width, height in before.values_list("sha256", "width", "height").distinct():
        sizes.setdefault(sha256, Size(width, height))
    problems = []
    for index, shot in enumerate(shots):
        size = Size(shot.width, shot.height)
        if shot.sha256 and sizes.setdefault(shot.sha256, size) != size:
            fault = (
                f"'{shot.story_id}' in {shot.theme} {shot.device} announces the image "
                f"{shot.sha256} as {size}, but that image is {sizes[shot.sha256]}"
            )
            problems.append((f"/screenshots/{index}", fault))
    _raise_if_any(problems)


def _count_new_images(
    build: Build, fresh: Iterable[AnnouncedShot], known: Mapping[str, Image]
) -> None:
    """Count the images the build will upload, each once."""
    pixels = {
        shot.sha256: shot.width * shot.height
        for shot in fresh
        if shot.sha256 and shot.sha256 not in known
    }
    if not pixels:
        return
    before = Screenshot.objects.filter(build=build, sha256__in=pixels).order_by()
    for sha256 in before.values_list("sha256", flat=True).distinct():
        del pixels[sha256]
    organization_id = build.repository.organization_id
    require_storage(organization_id)
    count_pixels(organization_id, sum(pixels.values()))


def _announced_before(build: Build, shots: Sequence[AnnouncedShot]) -> Rows:
    stories = {shot.story_id for shot in shots}
    announced = Screenshot.objects.filter(build=build, story_id__in=stories, inherited=False)
    return {
        VariantKey(row.story_id, row.theme, row.device): row
        # Rows added by the comparison were not announced.
        for row in announced.exclude(diff_state=REMOVED)
    }


def _without_repeats(before: Rows, shots: Sequence[AnnouncedShot]) -> list[AnnouncedShot]:
    """Return each new or different screenshot once."""
    fresh = {
        _key(shot): shot
        for shot in shots
        if _key(shot) not in before or not _same(before[_key(shot)], shot)
    }
    return list(fresh.values())


def _update_findings(before: Rows, shots: Sequence[AnnouncedShot], shard: int) -> None:
    """Store a repeated capture's findings about screenshots with the same contents."""
    changed = {}
    for shot in shots:
        row = before.get(_key(shot))
        if row is None or row.shard != shard or not _same(row, shot):
            continue
        for name, value in _findings(shot).items():
            if getattr(row, name) != value:
                setattr(row, name, value)
                changed[row.pk] = row
    if changed:
        # Not the image, which may be arriving at this moment.
        update_rows(list(changed.values()), list(_findings(shots[0])))


def _require_own(shard: int, before: Rows, fresh: Sequence[AnnouncedShot]) -> None:
    # A repeated run may get another image; two shards must not share a story.
    for shot in fresh:
        row = before.get(_key(shot))
        if row is not None and row.shard != shard:
            raise _conflict(_key(shot), f"already by shard {row.shard}, with different contents")


def _same(row: Screenshot, shot: AnnouncedShot) -> bool:
    # An image rejected later has a message from the service.
    same_message = bool(shot.sha256) or row.message == shot.error
    return same_message and all(getattr(row, name) == getattr(shot, name) for name in SHOT_FIELDS)


def _key(shot: AnnouncedShot) -> VariantKey:
    return VariantKey(shot.story_id, shot.theme, shot.device)


def _store(
    build: Build, shard: int, before: Rows, shots: Sequence[tuple[AnnouncedShot, Image | None]]
) -> None:
    added, replaced = [], []
    for shot, image in shots:
        row = before.get(_key(shot))
        if row is None:
            added.append(_new_row(build, shard, shot, image))
        else:
            replaced.append(row)
            for name, value in _contents(shot, image).items():
                setattr(row, name, value)
    Screenshot.objects.bulk_create(added)
    if replaced:
        update_rows(replaced, list(_contents(*shots[0])))


def _contents(shot: AnnouncedShot, image: Image | None) -> dict[str, object]:
    """Return the announced values of one screenshot; the shard may replace them."""
    return {
        "image": image,
        "message": shot.error,
        **_findings(shot),
        **{name: getattr(shot, name) for name in SHOT_FIELDS},
    }


def _findings(shot: AnnouncedShot) -> dict[str, object]:
    """Return the values that may differ in a repeated capture of the same image."""
    return {
        "unstable": shot.unstable,
        "notes": [asdict(note) for note in shot.notes],
        "regions": to_json(shot.regions),
    }


def _new_row(build: Build, shard: int, shot: AnnouncedShot, image: Image | None) -> Screenshot:
    return Screenshot(
        build=build,
        story_id=shot.story_id,
        theme=shot.theme,
        device=shot.device,
        shard=shard,
        detection_only=[shot.theme, shot.device] not in build.matrix,
        **_contents(shot, image),
    )
