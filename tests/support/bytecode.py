"""Cache bytecode for all processes of a run, even where Python may not write next to the sources.

Otherwise each start of the program compiles over a thousand modules, half of the start's duration.
"""

import os
import sys
import tempfile
from pathlib import Path

FORBIDDEN = "PYTHONDONTWRITEBYTECODE"
FOLDER = "PYTHONPYCACHEPREFIX"


def cache_bytecode() -> None:
    """Have this process and its children cache bytecode in a temporary folder of the user."""
    if not os.environ.get(FORBIDDEN):
        return
    folder = Path(tempfile.gettempdir(), f"visual-review-bytecode-{os.geteuid()}")
    folder.mkdir(mode=0o755, exist_ok=True)
    # Another user could have put code there first.
    if folder.lstat().st_uid != os.geteuid():
        return
    del os.environ[FORBIDDEN]
    os.environ[FOLDER] = sys.pycache_prefix = str(folder)
    sys.dont_write_bytecode = False
