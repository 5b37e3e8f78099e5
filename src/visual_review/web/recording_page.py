"""What a recording's page shows: the video, the test's steps, and the builds of the same commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import PUBLISHED
from visual_review.recordings.models import Recording
from visual_review.web.durations import moment, seconds_of

# A commit is rebuilt now and then; older builds of it tell nothing more.
BUILDS_SHOWN = 5


@dataclass(frozen=True)
class Step:
    """A step of the test; ``story_build`` is the id of a build that holds the story it names."""

    title: str
    start: str
    clock: str
    duration: str
    story_id: str
    story_build: str


def builds_of(recording: Recording) -> list[Build]:
    """Published builds of the same commit, those of the same product first, newest first."""
    if not recording.commit:
        return []
    rows = Build.objects.filter(
        repository_id=recording.repository_id, commit=recording.commit, status__in=PUBLISHED
    ).select_related("product")
    newest = rows.order_by("-number")[: BUILDS_SHOWN * 4]
    mine = sorted(newest, key=lambda build: build.product_id != recording.product_id)
    return mine[:BUILDS_SHOWN]


def download_name(recording: Recording) -> str:
    """The name of the file that was recorded, with the ending of what it became."""
    suffix = PurePosixPath(recording.video_name).suffix
    return f"{PurePosixPath(recording.file_name).stem}{suffix}"


def steps_of(recording: Recording, builds: Sequence[Build]) -> list[Step]:
    named = {str(step["storyId"]) for step in recording.steps if step.get("storyId")}
    holders = _holders(named, builds)
    return [_step(step, holders) for step in recording.steps]


def _step(step: dict[str, Any], holders: dict[str, str]) -> Step:
    start = int(step.get("startMs") or 0)
    duration = int(step.get("durationMs") or 0)
    story_id = str(step.get("storyId") or "")
    return Step(
        title=str(step["title"]),
        start=seconds_of(start),
        clock=moment(start),
        duration=f"{duration / 1000:.1f} s" if duration else "",
        story_id=story_id,
        story_build=holders.get(story_id, ""),
    )


def _holders(story_ids: set[str], builds: Sequence[Build]) -> dict[str, str]:
    """For each story the first of ``builds`` that holds it."""
    if not story_ids or not builds:
        return {}
    found = (
        Screenshot.objects.filter(build__in=builds, story_id__in=story_ids, detection_only=False)
        .values_list("story_id", "build_id")
        .distinct()
    )
    places = {build.id: place for place, build in enumerate(builds)}
    holders: dict[str, str] = {}
    for story_id, build_id in sorted(found, key=lambda pair: places[pair[1]]):
        holders.setdefault(story_id, build_id)
    return holders
