"""A checkout of the commit that today's speed is compared with, with an environment of its own."""

import io
import subprocess
import tarfile
from pathlib import Path
from shutil import rmtree
from typing import Final

from scripts.setup_steps import ROOT, SetupError, require_success, run_program, say
from scripts.setup_tools import find_uv

# The last one before the server's parts were replaced.
COMMIT: Final = "11d06fe1750f357d82e7c1ee9138bfae6010ec67"
DONE: Final = ".complete"
NO_HISTORY: Final = (
    f"the earlier commit {COMMIT[:12]} is left out: this checkout does not have it (a shallow "
    "clone?); fetch the whole history to compare with it"
)


def ensure_earlier() -> Path | None:
    """Return a checkout of COMMIT with its packages in ``.venv``; None if git does not have it.

    Raises SetupError if it cannot be installed.
    """
    folder = ROOT / ".bench" / f"earlier-{COMMIT[:12]}"
    if (folder / DONE).exists():
        return folder
    if run_program(["git", "cat-file", "-e", f"{COMMIT}^{{commit}}"]).returncode != 0:
        return None
    say(f"installing the earlier commit {COMMIT[:12]} into .bench")
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(_archive())) as files:
        files.extractall(folder, filter="data")
    # Its own lock: the libraries are part of what is compared.
    command: list[str | Path] = [find_uv(), "sync", "--frozen", "--extra", "server", "--no-dev"]
    require_success(
        [*command, "--quiet", "--python", ROOT / ".venv" / "bin" / "python"],
        "Can this machine reach the Python package index?",
        cwd=folder,
        # An environment that is active here must not be the one that is changed.
        env={"VIRTUAL_ENV": "", "UV_PROJECT_ENVIRONMENT": ".venv"},
    )
    (folder / DONE).touch()
    return folder


def _archive() -> bytes:
    done = subprocess.run(
        ["git", "archive", "--format=tar", COMMIT], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise SetupError(f"git could not read {COMMIT[:12]}: {done.stderr.decode()}")
    return done.stdout
