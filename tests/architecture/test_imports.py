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
        ("web", "import visual_review.api", "Packages import downwards only"),
        ("client", "import django", "The client half needs nothing of the server"),
        ("imagediff", "import visual_review.kernel", "imagediff and kernel stand alone"),
        ("config", "import visual_review.client", "Only the command line reaches the client"),
        ("builds", "import httpx", "Domain packages make no HTTP call"),
    ],
)
def test_a_bad_import_breaks_its_contract(
    copy: Path, package: str, line: str, contract: str
) -> None:
    (copy / "visual_review" / package / "trespasser.py").write_text(f"{line}\n")
    result = lint(copy)
    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout


def test_a_package_that_no_layer_names_breaks_the_layers(copy: Path) -> None:
    (copy / "visual_review" / "stray").mkdir()
    (copy / "visual_review" / "stray" / "__init__.py").touch()
    result = lint(copy)
    assert result.returncode == 1
    assert "Packages import downwards only BROKEN" in result.stdout
