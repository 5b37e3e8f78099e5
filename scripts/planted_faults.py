"""Show that an ordinary run finds faults: plant faults one at a time; a test must fail for each.

``python -m scripts.planted_faults`` copies the checkout, plants each fault in the copy and runs the
tests of the rule, then all other tests if the first ones pass. ``--check`` only checks that every
fault can still be planted. A fault is an expression in a function, found by the syntax tree, so
that formatting and other changes nearby do not matter.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import ROOT, VENV_BIN

PACKAGE = "src/visual_review"
# Installed or built files that tests need; the copy links to these files.
LINKED = (
    ".venv",
    ".tools",
    "examples/storybook/node_modules",
    "examples/storybook/storybook-static",
    "examples/storybook/storybook-static-changed",
    "tests/mcp_clients/node_modules",
    "tests/api_clients/node_modules",
    "javascript/node_modules",
    "tests/host_emulators/node_modules",
)
LONGEST_RUN_SECONDS = 3600


class PlantError(Exception):
    """A fault can no longer be planted; the message names the function and what is missing."""


@dataclass(frozen=True)
class Fault:
    """Replace the expression ``found`` by ``planted`` within ``function`` of ``module``."""

    name: str
    module: str
    function: str
    found: str
    planted: str
    # The tests of the rule, run first.
    watched_by: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"{PACKAGE}/{self.module}.py"


PLANTS = (
    Fault(
        "a lost lock",
        "builds/locks",
        "_lock_one_build",
        "joined.select_for_update(of=BUILD_LOCKS, no_key=True)",
        "joined",
        ("tests/journeys/races",),
    ),
    Fault(
        "a doubled insert on a retry",
        "builds/reviewing/plan",
        "_approves",
        "bool(shots) or build.state != APPROVED or not build.sets_baseline",
        "True",
        ("tests/actions/test_review_rules.py", "tests/journeys/test_baseline_properties.py"),
    ),
    Fault(
        "a missing permission check",
        "actions/dispatch",
        "check_permission",
        "not caller.may(action.permission)",
        "False",
        ("tests/api",),
    ),
    Fault(
        "a baseline moved by a rejection",
        "builds/reviewing/decide",
        "_carry_out",
        "_approve(decision) if plan.approves else _write_state(decision)",
        "_approve(decision)",
        ("tests/actions/test_review_rules.py", "tests/journeys/test_baseline_properties.py"),
    ),
    Fault(
        "an uncounted pixel",
        "imagediff/comparison",
        "_decide",
        "counts.different",
        "max(counts.different - 1, 0)",
        ("tests/unit/imagediff",),
    ),
)


def plant_fault(source: str, plant: Fault) -> str:
    """Return the source with the planted fault; raises PlantError if the expression is missing."""
    tree = ast.parse(source)
    function = next(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == plant.function
        ),
        None,
    )
    if function is None:
        raise PlantError(f"{plant.file} has no function {plant.function} ('{plant.name}')")
    wanted = ast.dump(ast.parse(plant.found, mode="eval").body)
    nodes = [node for node in ast.walk(function) if ast.dump(node) == wanted]
    if not nodes:
        raise PlantError(
            f"{plant.function} in {plant.file} has no expression `{plant.found}` ('{plant.name}')"
        )
    return _replace(source, [node for node in nodes if isinstance(node, ast.expr)], plant.planted)


def _replace(source: str, nodes: list[ast.expr], text: str) -> str:
    """Return the source with ``text`` at each node; later ones first, so earlier offsets stay."""
    lines = source.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    data = source.encode()
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        data = data[:begin] + text.encode() + data[end:]
    return data.decode()


def find_unplantable(root: Path = ROOT) -> list[str]:
    """Return why faults can no longer be planted; empty if every fault can."""
    faults = []
    for plant in PLANTS:
        try:
            compile(plant_fault((root / plant.file).read_text(), plant), plant.file, "exec")
        except (OSError, PlantError) as error:
            faults.append(str(error))
        faults += [
            f"there is no test {path} for '{plant.name}'"
            for path in plant.watched_by
            if not (root / path).exists()
        ]
    return faults


def copy_checkout(to: Path) -> None:
    """Copy the files that git tracks or would track, and link to installed files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    for name in LINKED:
        if (ROOT / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).symlink_to(ROOT / name)


def find_failing_test(checkout: Path, paths: tuple[str, ...]) -> str:
    """Return the first test in the paths to fail in the checkout; empty when all pass."""
    done = subprocess.run(
        [VENV_BIN / "python", "-m", "pytest", "-x", "-q", "-n", "2", *paths],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_RUN_SECONDS,
    )
    if done.returncode == 0:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "SUBFAILED"))]
    if not failed:
        raise SystemExit(f"The tests did not run:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return failed[0]


def find_test_for(plant: Fault) -> str:
    """Return the test that finds the fault; empty when the whole ordinary run passes."""
    with tempfile.TemporaryDirectory(prefix="visual-review-planted-") as folder:
        # PostgreSQL's own user may not enter root's folders otherwise.
        Path(folder).chmod(0o755)
        copy_checkout(Path(folder))
        file = Path(folder, plant.file)
        file.write_text(plant_fault(file.read_text(), plant))
        return find_failing_test(Path(folder), plant.watched_by) or find_failing_test(
            Path(folder), ()
        )


def main(arguments: list[str]) -> int:
    faults = find_unplantable()
    if faults or "--check" in arguments:
        print("\n".join(faults) or f"All {len(PLANTS)} faults can be planted.")
        return 1 if faults else 0
    missed = 0
    for plant in PLANTS:
        began = time.monotonic()
        test = find_test_for(plant)
        missed += not test
        print(f"{plant.name}: {test or 'NOT FOUND'} ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
