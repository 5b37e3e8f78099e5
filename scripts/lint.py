"""Every check without tests: format, rules, types, imports, words, and plantable faults.

``python -m scripts.lint`` runs all checks one after the other and continues after a failure, so
that one run shows everything.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scripts.native_library import CRATE, cargo_environment, find_cargo
from scripts.setup_steps import ROOT, VENV_BIN, run_program

CHECKS: Final[tuple[tuple[str, ...], ...]] = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy", "-p", "visual_review", "-p", "scripts"),
    ("lint-imports",),
    ("python", "-m", "scripts.planted_faults", "--check"),
    ("python", "-m", "scripts.licenses", "--check"),
    ("python", "-m", "scripts.pronouns"),
    ("python", "-m", "scripts.documentation_site", "--check"),
)


# The checks of the native engine: each is a program of cargo, absent from some installations of
# Rust.
RUST_CHECKS: Final[tuple[tuple[str, ...], ...]] = (
    ("fmt", "--check"),
    ("clippy", "--quiet", "--locked", "--offline", "--all-targets", "--", "--deny", "warnings"),
)


# The checks of the pages' scripts, by programs of the folder `javascript`.
PAGE_TOOLS: Final = ROOT / "javascript"
JAVASCRIPT_CHECKS: Final[tuple[tuple[str, ...], ...]] = (
    ("tsc", "-p", "javascript"),
    ("tsc", "-p", "javascript/tsconfig.tests.json"),
    (
        "eslint",
        "--config=javascript/eslint.config.js",
        "--max-warnings=0",
        "src/visual_review/web/static/web",
        "tests/javascript",
        "javascript/eslint.config.js",
    ),
)


def run_check(
    line: str, program: Sequence[str | Path], cwd: Path = ROOT, env: dict[str, str] | None = None
) -> str:
    """Run a check; return its line if the check failed, else nothing."""
    began = time.monotonic()
    print(f"$ {line}", flush=True)
    done = subprocess.run(program, cwd=cwd, env={**os.environ, **(env or {})}, check=False)
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return line if done.returncode else ""


def check_python(command: Sequence[str]) -> str:
    return run_check(" ".join(command), [VENV_BIN / command[0], *command[1:]])


def check_javascript(command: Sequence[str]) -> str:
    program = PAGE_TOOLS / "node_modules" / ".bin" / command[0]
    # Setup found node there, or on the path.
    path = f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"
    return run_check(" ".join(command), [program, *command[1:]], env={"PATH": path})


def check_rust(cargo: Path | None, command: Sequence[str]) -> str:
    line = f"cargo {' '.join(command)}"
    if cargo is None or not can_run(cargo, command[0]):
        print(f"$ {line}\n  skipped: `cargo {command[0]}` is not installed", flush=True)
        return ""
    return run_check(line, [cargo, *command], CRATE, cargo_environment(cargo))


def can_run(cargo: Path, program: str) -> bool:
    return run_program([cargo, program, "--version"], env=cargo_environment(cargo)).returncode == 0


def main() -> int:
    cargo = find_cargo()
    ran = [check_python(command) for command in CHECKS]
    ran += [check_javascript(command) for command in JAVASCRIPT_CHECKS]
    ran += [check_rust(cargo, command) for command in RUST_CHECKS]
    failed = list(filter(None, ran))
    for line in failed:
        print(f"lint: `{line}` failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
