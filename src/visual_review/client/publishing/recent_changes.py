"""When files were last changed, as git knows it: the likely cause of a changed story."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

SECONDS: Final = 20.0
COMMITS: Final = 300
UNCOMMITTED: Final = "changed and not committed"


def read_recent_changes(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Return when each file was last changed, the latest first.

    Files that the last commits did not change are left out. Without git, the result is empty.
    """
    wanted = {Path(os.path.normpath(root / name)): name for name in names}
    changes: dict[str, str] = {}
    for path, change in _list_changes(root):
        if path in wanted:
            changes.setdefault(wanted[path], change)
    return changes


def _list_changes(root: Path) -> Iterator[tuple[Path, str]]:
    top = _run_git(root, "rev-parse", "--show-toplevel").strip()
    if not top:
        return
    for line in _run_git(root, "status", "--porcelain", "-z", "--no-renames").split("\0"):
        if line:
            yield Path(top) / line[3:], UNCOMMITTED
    log = ("log", f"-{COMMITS}", "--name-only", "--no-renames", "--format=%x00%h, %cs: %s")
    commit = ""
    for line in _run_git(root, "-c", "core.quotePath=false", *log).splitlines():
        if line.startswith("\0"):
            commit = line[1:]
        elif line:
            yield Path(top) / line, commit


def _run_git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - No shell, and no argument of a user.
            ["git", *arguments],  # noqa: S607 - The git of this machine is intended.
            cwd=folder,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"},
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
