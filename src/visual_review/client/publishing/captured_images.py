"""Publishes a folder written by ``visual-review capture``: images and a manifest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from visual_review.client.capture import ALL_VARIANTS, Variant, file_name
from visual_review.client.capture.manifest import MANIFEST_FILE, CapturedImage, Manifest
from visual_review.client.capture.notes import NoteText, summarize_notes
from visual_review.client.publishing.build_images import BuildContents, Entry
from visual_review.client.publishing.pngs import (
    ImageFile,
    find_images,
    make_input_error,
    read_entries,
)
from visual_review.client.publishing.responses import Plan
from visual_review.client.terminal import printable
from visual_review.client.transport.errors import InputError
from visual_review.variants import DEVICES, THEMES

Key = tuple[str, Variant]


def read_captured(folder: Path, manifest: Manifest, plan: Plan, *, partial: bool) -> BuildContents:
    """Read the images listed in the manifest, in the variants of the plan.

    Failed stories stay failed. Raises InputError with a list of unpublishable files.
    """
    wanted, detection = select_variants(manifest.screenshots, plan, partial=partial)
    listed = {
        (shot.story_id, shot.variant): shot
        for shot in manifest.screenshots
        if shot.variant in (*wanted, *detection)
    }
    images = _match_images(folder, manifest, listed)
    problems: list[str] = []
    files: dict[str, Path] = {}
    entries = [
        _describe(entry, listed[entry.story_id, entry.variant])
        for entry in read_entries(folder, images, plan.image_limits, files, problems)
    ]
    if problems:
        raise make_input_error(problems)
    entries += [_make_failed(shot) for shot in listed.values() if shot.error]
    stories = {shot.story_id for shot in listed.values()}
    return BuildContents(
        entries=sorted(entries, key=lambda entry: (entry.story_id, entry.variant)),
        files=files,
        themes=tuple(name for name in THEMES if any(each.theme == name for each in wanted)),
        devices=tuple(name for name in DEVICES if any(each.device == name for each in wanted)),
        detection=detection,
        renderer=manifest.renderer,
        theme_finding=manifest.themes,
        story_ids=sorted(stories | plan.stories.keys()) if partial else None,
        notes=[printable(line) for line in summarize_notes(entries)],
    )


def select_variants(
    shots: Sequence[CapturedImage], plan: Plan, *, partial: bool
) -> tuple[tuple[Variant, ...], tuple[Variant, ...]]:
    """Return the variants to publish, and the variants for detection if the plan wants any.

    The capturing job has no plan and may have captured further variants.
    """
    captured = {shot.variant for shot in shots}
    wanted = tuple(variant for variant in plan.variants if variant in captured)
    if not wanted:
        raise InputError(
            f"The capture has {', '.join(map(str, sorted(captured))) or 'no images'}, but this "
            f"product is captured in {', '.join(map(str, plan.variants))}. Correct the options "
            "--theme and --device of `visual-review capture`."
        )
    others = tuple(variant for variant in ALL_VARIANTS if variant not in plan.variants)
    # With only a part of the variants, the Storybook would seem to lack a theme or a device.
    detects = plan.detection_armed and not partial and captured.issuperset(ALL_VARIANTS)
    return wanted, others if detects else ()


def _match_images(
    folder: Path, manifest: Manifest, listed: Mapping[Key, CapturedImage]
) -> list[ImageFile]:
    """Return the images to publish, all listed in the manifest; other images are not needed."""
    # File names of long IDs are shortened, so only the manifest has the whole ID.
    stories = {
        file_name(shot.story_id, shot.variant): shot.story_id for shot in manifest.screenshots
    }
    images = [
        replace(image, story_id=stories.get(image.path.name, image.story_id))
        for image in find_images(folder)
    ]
    found = {(image.story_id, image.variant): image for image in images}
    known = {(shot.story_id, shot.variant) for shot in manifest.screenshots if not shot.error}
    problems = [
        f"{image.path.relative_to(folder)}: {MANIFEST_FILE} does not list it"
        for key, image in found.items()
        if key not in known
    ]
    missing = [key for key, shot in listed.items() if not shot.error and key not in found]
    problems += [f"{story} {variant}: the image is missing" for story, variant in missing]
    if problems:
        raise make_input_error(problems, "Capture again into an empty folder.")
    return [image for key, image in found.items() if key in listed]


def _describe(entry: Entry, shot: CapturedImage) -> Entry:
    return replace(
        entry,
        title=printable(shot.title),
        hashes=shot.hashes,
        threshold=shot.threshold,
        unstable=shot.unstable,
        regions=shot.regions,
        notes=tuple(NoteText(note.kind, printable(note.text)) for note in shot.notes),
    )


def _make_failed(shot: CapturedImage) -> Entry:
    return Entry(
        shot.story_id,
        printable(shot.title),
        shot.variant,
        hashes=shot.hashes,
        error=shot.error,
    )
