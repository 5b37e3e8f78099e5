"""Compiled modules for all processes of a run, also where Python may write none beside the sources.

Starting the program compiles more than a thousand modules otherwise, half of what a start takes.
"""

import os
import sys
import tempfile
from pathlib import Path

FORBIDDEN = "PYTHONDONTWRITEBYTECODE"
FOLDER = "PYTHONPYCACHEPREFIX"


def cache_bytecode() -> None:
    """Have this process and its children keep bytecode in a temporary folder of this account."""
    if not os.environ.get(FORBIDDEN):
        return
    folder = Path(tempfile.gettempdir(), f"visual-review-bytecode-{os.geteuid()}")
    folder.mkdir(mode=0o755, exist_ok=True)
    # Another account could have put code of its own there first.
    if folder.lstat().st_uid != os.geteuid():
        return
    del os.environ[FORBIDDEN]
    os.environ[FOLDER] = sys.pycache_prefix = str(folder)
    sys.dont_write_bytecode = False
