"""Explains why a publish captures a story of a Storybook, or why not."""

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.capture import NOT_HASHED, CaptureError, Fingerprint, Story, StorySources
from visual_review.client.capture.run import capture
from visual_review.client.git import run_git
from visual_review.client.publishing.publish import Request, fetch_plan
from visual_review.client.publishing.responses import Plan, Service
from visual_review.client.publishing.selection import (
    Storybook,
    choose_stories,
    explain_difference,
    read_storybook,
    settings_of_plan,
)
from visual_review.client.transport.errors import InputError

COMMITS: Final = 300
UNCOMMITTED: Final = "changed and not committed"
SUGGESTIONS: Final = 5
NOT_PARTIAL: Final = "without --partial, every story is captured"
SKIPPED: Final = "--skip captures nothing; every story keeps its baseline"
BY_PARAMETERS: Final = (
    "its parameters exclude it (visualReview.skip, or what other tools call it); "
    "the browser was started to read them"
)
BY_TAGS: Final = "its tags exclude it (`skip`, --exclude-tag or --include-tag)"
NEW: Final = "the baseline does not have it: it is new"
EQUAL: Final = "its source hash and its renderer hash equal the baseline's, so it is inherited"
OWN: Final = "files that only its story file imports changed"


@dataclass(frozen=True, slots=True)
class StoryExplanation:
    """Whether a publish captures ``story``, and why."""

    story: Story
    captured: bool
    reasons: Sequence[str]
    # For a publish with --partial.
    partial_reasons: Sequence[str]
    baseline: str
    fingerprint: Fingerprint
    baseline_fingerprint: Fingerprint
    # None if unknown.
    sources: StorySources | None
    # Changed files with the time in git, the latest first.
    recent: Mapping[str, str]


def explain_story(request: Request, service: Service, story_id: str) -> StoryExplanation:
    """Explain one story; creates no build. Raises PublishError, CaptureError, InputError."""
    plan = fetch_plan(request, service)
    settings = settings_of_plan(request.capture, plan)
    storybook = read_storybook(request.folder, request.project_root, settings, request.tags)
    story = _find_story(storybook, story_id)
    partial = _explain_partial(storybook, plan, story_id)
    captured, reasons = _decide(request, storybook, plan, story, partial)
    if captured and _is_excluded(request, plan, story):
        captured, reasons = False, [BY_PARAMETERS]
    sources = storybook.sources.sources.get(story_id)
    root = (request.project_root or Path.cwd()).resolve()
    return StoryExplanation(
        story,
        captured=captured,
        reasons=reasons,
        partial_reasons=partial,
        baseline=plan.baseline_branch,
        fingerprint=storybook.fingerprints()[story_id],
        baseline_fingerprint=plan.stories.get(story_id, NOT_HASHED),
        sources=sources,
        recent=read_recent_changes(root, _all_names(sources)) if sources else {},
    )


def _all_names(sources: StorySources) -> list[str]:
    return [*sources.own, *sources.shared["preview"], *sources.shared["static"]]


def _find_story(storybook: Storybook, story_id: str) -> Story:
    found = {story.id: story for story in (*storybook.stories, *storybook.left_out)}
    if story_id in found:
        return found[story_id]
    near = difflib.get_close_matches(story_id, found, SUGGESTIONS, cutoff=0.4)
    hint = f" Similar: {', '.join(near)}." if near else ""
    raise InputError(f"The Storybook has no story {story_id}.{hint}")


def _explain_partial(storybook: Storybook, plan: Plan, story_id: str) -> list[str]:
    if storybook.sources.hashes is None:
        return [f"every story is captured: {storybook.sources.reason}"]
    if story_id not in plan.stories:
        return [NEW]
    before, now = plan.stories[story_id], storybook.fingerprints()[story_id]
    if now.is_same(before):
        return [EQUAL]
    return explain_difference(before, now) or [OWN]


def _decide(
    request: Request, storybook: Storybook, plan: Plan, story: Story, partial: list[str]
) -> tuple[bool, list[str]]:
    if request.scope == "skip":
        return False, [SKIPPED]
    if story in storybook.left_out:
        return False, [BY_TAGS]
    is_partial = request.scope == "partial"
    selected = choose_stories(storybook, plan, partial=is_partial).stories
    if story not in selected:
        return False, partial
    facts = request.facts
    shard = list(selected).index(story) % facts.shards + 1
    if shard != facts.shard:
        return False, [f"shard {shard} of {facts.shards} captures it"]
    return True, partial if is_partial else [NOT_PARTIAL]


def _is_excluded(request: Request, plan: Plan, story: Story) -> bool:
    settings = settings_of_plan(request.capture, plan)
    try:
        report = capture(
            *(request.folder, plan.variants[:1], [story], settings), lambda _: None, lambda _: None
        )
    except CaptureError:
        # Whether the story can be captured now is another question.
        return False
    return report.skipped > 0


def read_recent_changes(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Return when each file was last changed, the latest first.

    Files not changed by the last commits are left out. Without git, the result is empty.
    """
    wanted = {Path(os.path.normpath(root / name)): name for name in names}
    changes: dict[str, str] = {}
    for path, change in _list_changes(root):
        if path in wanted:
            changes.setdefault(wanted[path], change)
    return changes


def _list_changes(root: Path) -> Iterator[tuple[Path, str]]:
    top = run_git(root, "rev-parse", "--show-toplevel").strip()
    if not top:
        return
    for line in run_git(root, "status", "--porcelain", "-z", "--no-renames").split("\0"):
        if line:
            yield Path(top) / line[3:], UNCOMMITTED
    log = ("log", f"-{COMMITS}", "--name-only", "--no-renames", "--format=%x00%h, %cs: %s")
    commit = ""
    for line in run_git(root, "-c", "core.quotePath=false", *log).splitlines():
        if line.startswith("\0"):
            commit = line[1:]
        elif line:
            yield Path(top) / line, commit
