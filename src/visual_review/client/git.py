"""Reads the last changes and the committed files from git, if git is installed."""

import os
import subprocess
from pathlib import Path
from typing import Final

SECONDS: Final = 20.0


def run_git(folder: Path, *arguments: str, seconds: float = SECONDS) -> str:
    """Return the output of git; empty without git, outside a repository, and after an error."""
    try:
        done = subprocess.run(  # noqa: S603 - No shell, and no argument of a user.
            ["git", *arguments],  # noqa: S607 - The git of this machine is intended.
            cwd=folder,
            env={
                **os.environ,
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_NO_LAZY_FETCH": "1",
                "GIT_OPTIONAL_LOCKS": "0",
            },
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
