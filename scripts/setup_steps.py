"""The base of every setup step: paths, running programs, stamps, and clear failures."""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / "bin"
TOOLS = ROOT / ".tools"
TAIL_LINES = 25
# Storybooks and screenshots of real projects, too large to commit, for tests and benchmarks.
SAMPLES = Path(os.environ.get("VISUAL_REVIEW_SAMPLES") or ROOT.parent / "shared" / "data")


class SetupError(Exception):
    """A step failed; the message tells the user what to do."""


def say(line: str) -> None:
    print(f"setup: {line}", flush=True)


def run_program(
    command: Sequence[str | Path],
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program and return the result; a missing program counts as failed (127)."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, str(error))


def require_success(
    command: Sequence[str | Path],
    advice: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a program that must succeed, and return its output.

    Raises SetupError with the command, the end of the output and the advice.
    """
    result = run_program(command, cwd, env)
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-TAIL_LINES:])
        line = " ".join(str(word) for word in command)
        raise SetupError(f"`{line}` failed ({result.returncode}):\n{tail}\n{advice}")
    return result.stdout


def content_hash(inputs: Iterable[Path], *facts: str) -> str:
    """Return a hash of facts and of the names and contents of files, including files in folders."""
    digest = hashlib.sha256("\0".join(facts).encode())
    for top in inputs:
        files = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
        for path in files:
            digest.update(f"\0{path.relative_to(top.parent)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_fresh(stamp: Path, value: str) -> bool:
    return stamp.is_file() and stamp.read_text() == value


def write_stamp(stamp: Path, value: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(value)
