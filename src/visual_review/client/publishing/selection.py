"""Chooses the stories of a Storybook for a build, and gives the reasons."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from visual_review.client.capture import (
    CaptureSettings,
    Fingerprint,
    SourceHashes,
    Story,
    TagFilter,
    describe_changes,
    describe_left_out,
    hash_renderer,
    read_stories,
    source_hashes,
)
from visual_review.client.capture.stories import NO_STORIES_HINT
from visual_review.client.publishing.responses import Plan
from visual_review.client.transport.errors import InputError

NO_BASELINE: Final = "there is no baseline yet"
NO_HASH: Final = "the baseline has no source hash for all of these themes and devices"


@dataclass(frozen=True, slots=True)
class Storybook:
    """The stories of a built Storybook with their source hashes, and the hash of the renderer."""

    stories: Sequence[Story]
    sources: SourceHashes
    renderer_hash: str
    # Further stories, not captured because of their tags.
    left_out: Sequence[Story] = ()

    def fingerprints(self) -> dict[str, Fingerprint]:
        """Return the hashes of all stories by ID."""
        return self.sources.fingerprints((*self.stories, *self.left_out), self.renderer_hash)


@dataclass(frozen=True, slots=True)
class Selection:
    """The stories to capture in this run, with their hashes."""

    stories: Sequence[Story]
    fingerprints: Mapping[str, Fingerprint]
    # All existing stories, only for a partial build.
    story_ids: Sequence[str] | None = None
    # From ``digest_sources``.
    sources_digest: str = ""
    # The stories of each source file.
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Why these stories were chosen.
    notes: Sequence[str] = ()


def settings_of_plan(settings: CaptureSettings, plan: Plan) -> CaptureSettings:
    return replace(settings, viewports=plan.viewports)


def read_storybook(
    folder: Path,
    project_root: Path | None,
    settings: CaptureSettings,
    tags: TagFilter | None = None,
) -> Storybook:
    """Read the stories and their hashes. Raises CaptureError; InputError without a story."""
    every_story = read_stories(folder)
    if not every_story:
        raise InputError(f"The Storybook in {folder} has no stories. {NO_STORIES_HINT}")
    stories, left_out = (tags or TagFilter()).select(every_story)
    if not stories:
        raise InputError(f"No story is left to capture: {describe_left_out(left_out)}")
    sources = source_hashes(folder, project_root)
    return Storybook(stories, sources, hash_renderer(settings), left_out)


def choose_stories(storybook: Storybook, plan: Plan, *, partial: bool) -> Selection:
    """Choose the stories to capture. Every build stores their hashes for later partial builds.

    Stories of the baseline left out because of their tags keep their images, which only a partial
    build can say.
    """
    selection = _choose_tagged(storybook, plan, partial=partial)
    ids = [story.id for story in storybook.left_out]
    if note := describe_left_out(storybook.left_out):
        selection = replace(selection, notes=[*selection.notes, note])
    if selection.story_ids is None and plan.stories.keys().isdisjoint(ids):
        return selection
    captured = [story.id for story in storybook.stories]
    kept = {name: plan.stories[name] for name in ids if name in plan.stories}
    digest = selection.sources_digest
    if digest and kept:
        hashes = storybook.fingerprints()
        now = {name: hashes[name] for name in captured if name in plan.stories}
        # A story that is never captured has no change to find.
        digest = digest_sources(now | kept)
    story_ids = [*(selection.story_ids or captured), *ids]
    return replace(selection, story_ids=story_ids, sources_digest=digest)


def _choose_tagged(storybook: Storybook, plan: Plan, *, partial: bool) -> Selection:
    stories, hashes = storybook.stories, storybook.fingerprints()
    if not partial:
        return Selection(stories, hashes)
    if storybook.sources.hashes is None:
        note = f"Capturing all stories: {storybook.sources.reason}"
        return Selection(stories, hashes, notes=[note])
    selection = select_changed(stories, hashes, plan.stories)
    return replace(selection, notes=[*selection.notes, *_describe_removed(storybook.sources)])


def _describe_removed(sources: SourceHashes) -> Iterator[str]:
    """Name the ignored parts of built code, and the number of stories for each."""
    counts = Counter(kind for story in sources.sources.values() for kind in story.removed)
    for kind, count in sorted(counts.items()):
        stories = "1 story" if count == 1 else f"{count} stories"
        yield f"{kind.capitalize()} in the built code of {stories} does not count as a change."


def select_changed(
    stories: Sequence[Story],
    hashes: Mapping[str, Fingerprint],
    baseline: Mapping[str, Fingerprint],
) -> Selection:
    """Select the stories whose sources or renderer differ from the baseline image's."""
    changed = [
        story
        for story in stories
        # A hash unknown on either side counts as changed: a needless capture is better than a
        # missed change.
        if not hashes[story.id].is_same(baseline.get(story.id))
    ]
    notes = [f"{len(changed)} of {len(stories)} stories changed."]
    if causes := _common_causes(changed, hashes, baseline):
        whose = "all stories" if len(changed) == len(stories) else f"{len(changed)} stories"
        notes.insert(0, f"Capturing {whose}: {'; '.join(causes)}.")
    ids = [story.id for story in stories]
    # Stories missing in the baseline are captured, unless excluded by their own parameters.
    digest = digest_sources({name: hashes[name] for name in ids if name in baseline})
    return Selection(changed, hashes, ids, digest, notes=notes)


def digest_sources(stories: Mapping[str, Fingerprint]) -> str:
    """Return the SHA-256 of lines with a story, its source hash and its renderer hash.

    The server compares this digest with the baseline's digest: only equal digests prove that
    nothing had to be captured.
    """
    lines = (f"{story} {' '.join(hashes)}\n" for story, hashes in sorted(stories.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _common_causes(
    changed: Sequence[Story],
    hashes: Mapping[str, Fingerprint],
    baseline: Mapping[str, Fingerprint],
) -> list[str]:
    """Return the causes shared by all changed stories of the baseline."""
    known = [story.id for story in changed if story.id in baseline]
    if not baseline:
        return [NO_BASELINE]
    if not known:
        return []
    found = [explain_difference(baseline[name], hashes[name]) for name in known]
    return [cause for cause in found[0] if all(cause in each for each in found)]


def explain_difference(before: Fingerprint, after: Fingerprint) -> list[str]:
    """Return why the hashes of a story differ, except for files used only by this story."""
    return describe_changes(before, after) if before.source else [NO_HASH]


def select_shard(selection: Selection, shard: int, shards: int) -> Selection:
    """Select every ``shards``-th story from ``shard``, so that slow neighbors are distributed."""
    return replace(selection, stories=selection.stories[shard - 1 :: shards])
