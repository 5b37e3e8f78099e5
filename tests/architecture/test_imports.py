"""Runs import-linter's contracts on the package, and on copies of it with one bad import each."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "pyproject.toml"
LINTER = Path(sys.executable).parent / "lint-imports"


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the package below the folder `source`; the folder comes before any installed copy."""
    return subprocess.run(
        [LINTER, "--config", SETTINGS, "--no-cache", "--no-logo"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def assert_broken(result: subprocess.CompletedProcess[str], contract: str) -> None:
    assert result.returncode == 1
    lines = [line for line in result.stdout.splitlines() if line.startswith(contract)]
    assert [line.rpartition(" ")[2] for line in lines[:1]] == ["BROKEN"], result.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    package = tmp_path / "visual_review"
    shutil.copytree(ROOT / "src" / "visual_review", package, ignore=shutil.ignore_patterns("*.pyc"))
    return tmp_path


def test_every_contract_is_kept() -> None:
    result = lint(ROOT / "src")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("package", "line", "contract"),
    [
        ("kernel", "import visual_review.builds", "Packages import downwards only"),
        ("accounts", "import visual_review.repositories", "Packages import downwards only"),
        ("builds", "import visual_review.jobs", "Packages import downwards only"),
        ("web", "import visual_review.api", "Packages import downwards only"),
        ("client", "import django", "The client half needs nothing of the server"),
        ("imagediff", "import visual_review.kernel", "imagediff stands alone"),
        ("imagediff", "import pathlib", "imagediff stands alone"),
        ("web", "import visual_review.imagediff", "Only builds, jobs and the client half"),
        ("kernel", "import visual_review.client", "kernel stands alone"),
        ("cli", "import visual_review.builds", "The command line wires nothing itself"),
        ("api", "import mcp", "Only the MCP door speaks its protocol"),
        ("config", "from mcp_types import Tool", "Only the MCP door speaks its protocol"),
        ("jobs", "import visual_review.actions", "Jobs run the domain, never actions"),
        ("config", "import visual_review.client", "Only the command line reaches the client"),
        ("builds", "import httpx", "Domain packages make no HTTP call"),
    ],
)
def test_a_bad_import_breaks_its_contract(
    copy: Path, package: str, line: str, contract: str
) -> None:
    (copy / "visual_review" / package / "trespasser.py").write_text(f"{line}\n")
    assert_broken(lint(copy), contract)


@pytest.mark.parametrize(
    "module",
    ["accounts/permissions", "builds/states", "builds/baselines", "repositories/capture"],
)
def test_a_rule_that_knows_the_database_breaks_its_contract(copy: Path, module: str) -> None:
    path = copy / "visual_review" / f"{module}.py"
    path.write_text(f"{path.read_text()}\nimport visual_review.kernel.queue\n")
    assert_broken(lint(copy), "Rules are pure")


def test_two_modules_that_import_each_other_break_their_contract(copy: Path) -> None:
    builds = copy / "visual_review" / "builds"
    (builds / "one.py").write_text("import visual_review.builds.two\n")
    (builds / "two.py").write_text("import visual_review.builds.one\n")
    assert_broken(lint(copy), "Modules never import in a circle")


def test_a_package_that_no_layer_names_breaks_the_layers(copy: Path) -> None:
    (copy / "visual_review" / "stray").mkdir()
    (copy / "visual_review" / "stray" / "__init__.py").touch()
    assert_broken(lint(copy), "Packages import downwards only")
