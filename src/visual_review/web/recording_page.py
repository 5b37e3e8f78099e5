"""The contents of a recording's page: the test's steps and the builds of the same commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import PUBLISHED
from visual_review.recordings.models import Recording
from visual_review.web.durations import format_seconds, format_time

# A commit may be built several times; older builds add nothing.
BUILDS_SHOWN = 5


@dataclass(frozen=True)
class Step:
    """A step of the test; ``story_build`` is the id of a build with the story of the step."""

    title: str
    start: str
    clock: str
    duration: str
    story_id: str
    story_build: str


def list_builds(recording: Recording) -> list[Build]:
    """Return published builds of the same commit: same product first, then newest first."""
    if not recording.commit:
        return []
    rows = Build.objects.filter(
        repository_id=recording.repository_id, commit=recording.commit, status__in=PUBLISHED
    ).select_related("product")
    newest = rows.order_by("-number")[: BUILDS_SHOWN * 4]
    ordered = sorted(newest, key=lambda build: build.product_id != recording.product_id)
    return ordered[:BUILDS_SHOWN]


def download_name(recording: Recording) -> str:
    """Return the name of the uploaded file, with the extension of the stored format."""
    suffix = PurePosixPath(recording.original_name).suffix
    return f"{PurePosixPath(recording.file_name).stem}{suffix}"


def list_steps(recording: Recording, builds: Sequence[Build]) -> list[Step]:
    named = {str(step["storyId"]) for step in recording.steps if step.get("storyId")}
    story_builds = _find_story_builds(named, builds)
    return [_create_step(step, story_builds) for step in recording.steps]


def _create_step(step: dict[str, Any], story_builds: dict[str, str]) -> Step:
    start = int(step.get("startMs") or 0)
    duration = int(step.get("durationMs") or 0)
    story_id = str(step.get("storyId") or "")
    return Step(
        title=str(step["title"]),
        start=format_seconds(start),
        clock=format_time(start),
        duration=f"{duration / 1000:.1f} s" if duration else "",
        story_id=story_id,
        story_build=story_builds.get(story_id, ""),
    )


def _find_story_builds(story_ids: set[str], builds: Sequence[Build]) -> dict[str, str]:
    """Map each story to the first of ``builds`` with the story."""
    if not story_ids or not builds:
        return {}
    found = (
        Screenshot.objects.filter(build__in=builds, story_id__in=story_ids, detection_only=False)
        .values_list("story_id", "build_id")
        .distinct()
    )
    positions = {build.id: position for position, build in enumerate(builds)}
    first_builds: dict[str, str] = {}
    for story_id, build_id in sorted(found, key=lambda pair: positions[pair[1]]):
        first_builds.setdefault(story_id, build_id)
    return first_builds
