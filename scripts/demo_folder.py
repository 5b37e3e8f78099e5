"""The data folder of a demo: emptied for every run, and locked while a demo runs."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.setup_steps import ROOT

OTHERS_EXECUTE = 0o001


class DemoError(Exception):
    """The demo cannot continue, or its result is wrong; the message has fault and reason."""


@contextmanager
def demo_folder(name: str) -> Iterator[Path]:
    """Lock the empty folder ``.demo/<name>`` until the block ends. Raises DemoError if in use."""
    base = demo_base()
    base.mkdir(exist_ok=True)
    with (base / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError(
                "It is already running in another window. Stop that one first."
            ) from None
        folder = base / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder


def demo_base() -> Path:
    """Return ``.demo`` in the checkout, or a folder in the system's temporary folder.

    For root, PostgreSQL runs as another user without access to a checkout in root's home.
    """
    inside = ROOT / ".demo"
    if os.geteuid() == 0 and not all(_is_passable(folder) for folder in inside.parents):
        return Path(tempfile.gettempdir()) / "visual-review-demo"
    return inside


def _is_passable(folder: Path) -> bool:
    return bool(folder.stat().st_mode & OTHERS_EXECUTE)
