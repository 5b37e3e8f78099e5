"""Everything the rules refer to, read from the database before and after a step."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    BaselineVersion,
    Build,
    ReviewEntry,
    Screenshot,
)

Key = tuple[str, str, str]
Set = dict[Key, int]


def key_of(row: Screenshot | BaselineEntry | ReviewEntry) -> Key:
    return (row.story_id, row.theme, row.device)


@dataclass(frozen=True)
class Snapshot:
    """``shots`` and ``log`` by build; ``versions`` and ``sets`` by baseline.

    ``sets[baseline][n]`` maps story and variant to the image after version n; nothing at 0.
    """

    builds: dict[str, Build]
    shots: dict[str, list[Screenshot]]
    baselines: dict[str, Baseline]
    versions: dict[str, list[BaselineVersion]]
    entries: dict[str, list[BaselineEntry]]
    sets: dict[str, list[Set]]
    log: list[ReviewEntry]

    def shot(self, shot_id: str) -> Screenshot:
        return next(row for rows in self.shots.values() for row in rows if row.id == shot_id)

    def counted(self, build_id: str) -> list[Screenshot]:
        """Return the build's screenshots without captures for detection only."""
        return [row for row in self.shots[build_id] if not row.detection_only]

    def own_baseline(self, build_id: str) -> str:
        """Return the ID of the baseline changed by the build's approval, or an empty string."""
        build = self.builds[build_id]
        line = (build.product_id, build.head_repository, build.branch)
        rows = self.baselines.values()
        return next((r.id for r in rows if (r.product_id, r.head_repository, r.branch) == line), "")

    def compared_set(self, build_id: str) -> Set:
        """Return the baseline's set in the comparison of the build."""
        build = self.builds[build_id]
        return self.sets[build.baseline_id][build.baseline_version] if build.baseline_id else {}


@dataclass(frozen=True)
class Step:
    """An operation with its targets, and the database before and after."""

    name: str
    before: Snapshot
    after: Snapshot
    build_id: str = ""
    shot_ids: tuple[str, ...] = ()
    decision: str = ""
    by: str = ""
    baseline_id: str = ""
    restored: int = 0
    result: Any = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def new_versions(self) -> list[BaselineVersion]:
        known = {row.id for rows in self.before.versions.values() for row in rows}
        return [row for rows in self.after.versions.values() for row in rows if row.id not in known]

    @property
    def completed(self) -> bool:
        """Return whether the step completed the comparison of its build."""
        if not self.build_id:
            return False
        before = self.before.builds.get(self.build_id)
        ended = self.after.builds[self.build_id].status == "completed"
        return ended and (before is None or before.status != "completed")


def look() -> Snapshot:
    """Return a snapshot of the whole database."""
    shots: dict[str, list[Screenshot]] = defaultdict(list)
    for shot in Screenshot.objects.order_by("id"):
        shots[shot.build_id].append(shot)
    versions: dict[str, list[BaselineVersion]] = defaultdict(list)
    for version in BaselineVersion.objects.order_by("sequence"):
        versions[version.baseline_id].append(version)
    entries: dict[str, list[BaselineEntry]] = defaultdict(list)
    for entry in BaselineEntry.objects.order_by("id"):
        entries[entry.baseline_id].append(entry)
    baselines = {row.id: row for row in Baseline.objects.all()}
    return Snapshot(
        builds={row.id: row for row in Build.objects.all()},
        shots=shots,
        baselines=baselines,
        versions=versions,
        entries=entries,
        sets={pk: _sets(row.last_version, entries[pk]) for pk, row in baselines.items()},
        log=list(ReviewEntry.objects.order_by("id")),
    )


def _sets(last_version: int, entries: list[BaselineEntry]) -> list[Set]:
    return [
        {
            key_of(row): row.image_id
            for row in entries
            if row.from_version <= version and (row.to_version is None or row.to_version > version)
        }
        for version in range(last_version + 1)
    ]
