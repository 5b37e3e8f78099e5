"""Where a demo keeps its data: made anew every time, and never under a demo that still runs."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.setup_steps import ROOT

OTHERS_MAY_PASS = 0o001


class DemoError(Exception):
    """The demo cannot go on, or did not show what it must; the message says what and why."""


@contextmanager
def demo_folder(name: str) -> Iterator[Path]:
    """An empty folder ``.demo/<name>``, held until the block ends. Raises DemoError if in use."""
    base = _base()
    base.mkdir(exist_ok=True)
    with (base / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError("It already runs in another window; stop that one first.") from None
        folder = base / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder


def _base() -> Path:
    """``.demo`` in the checkout, or a folder in the system's place for temporary files.

    For root, PostgreSQL runs as another account, which cannot pass a checkout in root's home.
    """
    inside = ROOT / ".demo"
    if os.geteuid() == 0 and not all(_is_passable(folder) for folder in inside.parents):
        return Path(tempfile.gettempdir()) / "visual-review-demo"
    return inside


def _is_passable(folder: Path) -> bool:
    return bool(folder.stat().st_mode & OTHERS_MAY_PASS)
