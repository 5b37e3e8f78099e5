"""Whether images that tests compare with are what the last run of these tests rendered.

Snapshot folders hold the images that a test *expects*. After a failed run the folder still
has the approved images, and publishing these would find nothing to review.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from visual_review.client.image_names import NameMapping
from visual_review.client.publishing.git import run_git
from visual_review.client.transport.errors import InputError

# Presets whose images are expectations; other tools write what they captured.
PRESETS: Final = frozenset({"playwright", "vitest", "image-snapshot"})
# Relative to the folder of a project.
PLAYWRIGHT_RUN: Final = Path("test-results/.last-run.json")
VITEST_ATTACHMENTS: Final = ".vitest-attachments"
RECEIVED: Final = ("__received_output__", "__diff_output__")
SHOWN: Final = 3
PASSED: Final = "The images are taken from the expectations of a passed run ({place})."
WHAT_TO_RUN: Final = (
    "Snapshot folders hold the images that tests expect, not what a run rendered: publishing "
    "them would find nothing to review. Write what the tests render (Playwright: --update-snapshots, Vitest and "
    "Jest: -u) in this job before you publish, or pass --as-is to publish the folder as it is."
)


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run of tests left at ``place``, at ``time`` in seconds of the epoch."""

    place: Path
    passed: bool
    time: float
    finding: str


def require_current(folder: Path, mapping: NameMapping) -> list[str]:
    """Return notes about the run that the images are from.

    Raises InputError if the last run failed, or if nothing shows that the images were rendered:
    they are in git, unchanged, and no results of a run are there.
    """
    if mapping.preset not in PRESETS or any("-actual" in each.file for each in mapping.images):
        return []
    files = [folder / image.file for image in mapping.images]
    written = max(file.stat().st_mtime for file in files)
    # Images that were written after a run are not from that run.
    runs = [run for run in _find_runs(folder, mapping) if run.time >= written]
    for run in runs:
        if not run.passed:
            raise InputError(f"{run.finding}. {WHAT_TO_RUN}")
    if runs:
        return [PASSED.format(place=runs[0].place)]
    if _are_committed(folder, files):
        raise InputError(
            f"Nothing shows that tests rendered the {len(files)} images in {folder}: git has them "
            f"unchanged, and there are no results of a run. {WHAT_TO_RUN}"
        )
    return []


def _find_runs(folder: Path, mapping: NameMapping) -> Iterator[_Run]:
    left = [name for name in mapping.ignored if set(Path(name).parts) & set(RECEIVED)]
    if left:
        place = folder / left[0]
        found = ", ".join(left[:SHOWN])
        yield _Run(
            place,
            passed=False,
            time=place.stat().st_mtime,
            finding=f"The last run failed and left {found}",
        )
    for base in _projects(folder):
        yield from _playwright_run(base / PLAYWRIGHT_RUN)
        yield from _vitest_run(base / VITEST_ATTACHMENTS)


def _projects(folder: Path) -> list[Path]:
    """Return the folders whose results may be those of the images: up to the repository's root."""
    found = []
    for base in (folder.resolve(), *folder.resolve().parents):
        found.append(base)
        if (base / ".git").exists():
            return found
    # Outside a repository, nothing says where the project ends.
    return found[:2]


def _playwright_run(path: Path) -> Iterator[_Run]:
    try:
        status = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if isinstance(status, dict) and "status" in status:
        failed = len(status.get("failedTests") or ())
        tests = "1 test" if failed == 1 else f"{failed} tests"
        finding = f"The last Playwright run has the status '{status['status']}', with {tests} failed ({path})"
        yield _Run(path, status["status"] == "passed", path.stat().st_mtime, finding)


def _vitest_run(folder: Path) -> Iterator[_Run]:
    images = sorted(folder.rglob("*-actual-*.png")) if folder.is_dir() else []
    if images:
        time = max(image.stat().st_mtime for image in images)
        yield _Run(
            folder,
            passed=False,
            time=time,
            finding=f"The last Vitest run failed and left {images[0]}",
        )


def _are_committed(folder: Path, files: Sequence[Path]) -> bool:
    """Whether git has all of the files as they are; False outside a repository or without git."""
    # The checkout of a CI machine may belong to another user.
    read = partial(run_git, folder, "-c", "safe.directory=*", "-c", "core.fsmonitor=false")
    if read("status", "--porcelain", "-z", "--", "."):
        return False
    known = {(folder / name).resolve() for name in read("ls-files", "-z").split("\0") if name}
    return {file.resolve() for file in files} <= known
