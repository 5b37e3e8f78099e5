"""Every check that runs no test: format, rules, types, imports, and that faults can be planted.

``python -m scripts.lint`` runs them one after the other and continues after a failure, so that
one run shows everything.
"""

import subprocess
import sys
import time

from scripts.setup_steps import ROOT, VENV_BIN

CHECKS: tuple[tuple[str, ...], ...] = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy", "-p", "visual_review", "-p", "scripts"),
    ("lint-imports",),
    ("python", "-m", "scripts.planted_faults", "--check"),
)


def main() -> int:
    failed = []
    for command in CHECKS:
        began = time.monotonic()
        line = " ".join(command)
        print(f"$ {line}", flush=True)
        done = subprocess.run([VENV_BIN / command[0], *command[1:]], cwd=ROOT, check=False)
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
        if done.returncode:
            failed.append(line)
    for line in failed:
        print(f"lint: `{line}` failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
