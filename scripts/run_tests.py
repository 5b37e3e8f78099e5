"""Run tests and lint in parallel: everything for ``make test``, what changed for ``make check``.

Lint writes to a file, printed at the end, so that the two outputs never mix.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import PurePosixPath

from tests.support.bytecode import cache_bytecode

from scripts.setup_steps import ROOT, VENV_BIN

PROCESSES = ("-n", "2")
NO_TESTS = 5
# The tests of a package's behavior, in addition to the tests of its functions in tests/unit.
BEHAVIOR: dict[str, tuple[str, ...]] = {
    "accounts": ("tests/actions/test_members.py", "tests/api/test_web_sign_in.py"),
    "actions": ("tests/actions",),
    "api": ("tests/api",),
    "builds": ("tests/actions/test_review_rules.py", "tests/api/test_ci_create.py"),
    "jobs": ("tests/actions/test_processing.py",),
    "web": ("tests/api/test_web_builds.py", "tests/api/test_web_accounts.py"),
}


def changed_files() -> list[str]:
    """Return the files that differ from the last commit, or else the files of the last commit."""
    tracked = _git("diff", "--name-only", "HEAD")
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return [*tracked, *untracked] or _git("diff", "--name-only", "HEAD~1")


def tests_of(files: Iterable[str]) -> list[str]:
    """Return the tests for changed files: tests of their packages, and changed tests."""
    wanted = {"tests/architecture"}
    for path in map(PurePosixPath, files):
        if path.parts[:2] == ("src", "visual_review") and len(path.parts) > 3:  # noqa: PLR2004 - A package and a file.
            package = path.parts[2]
            wanted |= {f"tests/unit/{package}", *BEHAVIOR.get(package, ())}
        elif path.parts[0] == "tests" and path.name.startswith("test_"):
            wanted.add(str(path))
    return sorted(path for path in wanted if (ROOT / path).exists())


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True, text=True)
    return done.stdout.splitlines()


def main(arguments: list[str]) -> int:
    only_changed = "--changed" in arguments
    paths = tests_of(changed_files()) if only_changed else []
    # Before the first process: each loads Django before it loads a file of the tests.
    cache_bytecode()
    with tempfile.TemporaryFile() as written:
        lint = subprocess.Popen(
            [VENV_BIN / "python", "-m", "scripts.lint"], cwd=ROOT, stdout=written, stderr=written
        )
        try:
            tests = subprocess.run(
                [VENV_BIN / "pytest", *PROCESSES, *paths],
                cwd=ROOT,
                env={**os.environ, "PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"},
                check=False,
            )
        finally:
            lint_failed = lint.wait()
            written.seek(0)
            sys.stdout.write(written.read().decode(errors="replace"))
    return 1 if lint_failed or tests.returncode not in {0, NO_TESTS} else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
