"""Finds the expectations of the tests whose results are in a folder such as ``test-results``."""

import os
import re
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case import ReportError
from visual_review.client.test_results.playwright_folder import is_results_folder

SNAPSHOTS: Final = "-snapshots"
CONFIGURATIONS: Final = "playwright.config.*"
_TEST_FOLDER: Final = re.compile(r"""\btestDir\s*:\s*['"`]([^'"`$]+)['"`]""")
_SKIPPED: Final = frozenset({"node_modules", ".git"})


def choose_folder(folder: Path) -> Path:
    """Return the folder with the expectations of Playwright's results, or ``folder`` itself.

    New images alone do not name their story. Raises ReportError without expectations.
    """
    if not folder.is_dir() or not is_results_folder(folder) or _list_snapshots(folder):
        return folder
    project = folder.resolve().parent
    found = _list_snapshots(project)
    if not found:
        raise ReportError(
            f"{folder} has what a Playwright run left, but there are no expectations "
            f"(*{SNAPSHOTS}) below {project}, so nothing says which stories its images show. "
            "Publish in the job that ran the tests, where both are."
        )
    chosen = _read_test_folder(project) or Path(os.path.commonpath([each.parent for each in found]))
    return Path(os.path.relpath(chosen)) if chosen.is_relative_to(Path.cwd()) else chosen


def _read_test_folder(project: Path) -> Path | None:
    for path in sorted(project.glob(CONFIGURATIONS)):
        match = _TEST_FOLDER.search(path.read_text(encoding="utf-8", errors="replace"))
        if match:
            named = (project / match[1]).resolve()
            # The folder is uploaded, so the file must not name another folder of this machine.
            return named if named.is_dir() and named.is_relative_to(project) else None
    return None


def _list_snapshots(folder: Path) -> list[Path]:
    found = []
    for place, folders, _ in os.walk(folder):
        found += [Path(place, name) for name in folders if name.endswith(SNAPSHOTS)]
        folders[:] = [each for each in folders if each not in _SKIPPED]
    return found
