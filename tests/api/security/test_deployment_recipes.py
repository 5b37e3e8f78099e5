"""The systemd unit and the container recipe: no root, no rights, nothing to write but the data."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.service import CHECKOUT

UNIT: Final = CHECKOUT / "deploy" / "visual-review.service"
CONTAINER: Final = CHECKOUT / "Dockerfile"
IGNORED: Final = CHECKOUT / ".dockerignore"
ANALYZE: Final = shutil.which("systemd-analyze")
# Of 10; systemd calls up to 2 "OK", and most units of a distribution have 9.
WORST_EXPOSURE: Final = 2.0


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program of every machine, since systemd checks for the program."""
    copy = tmp_path / UNIT.name
    copy.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text()))
    return copy


def analyze(*arguments: object) -> "subprocess.CompletedProcess[str]":
    if ANALYZE is None:
        pytest.skip("this machine has no systemd")
    return subprocess.run(
        [ANALYZE, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


def test_systemd_accepts_the_unit(unit: Path) -> None:
    checked = analyze("verify", unit)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_systemd_accepts_the_nightly_backup(tmp_path: Path) -> None:
    for source in UNIT.parent.glob("visual-review-backup.*"):
        text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", source.read_text())
        (tmp_path / source.name).write_text(text)
    checked = analyze("verify", *tmp_path.iterdir())
    assert (checked.returncode, checked.stderr) == (0, "")


def test_systemd_finds_little_exposed(unit: Path) -> None:
    found = analyze("security", "--offline=true", unit).stdout
    exposure = re.search(r"Overall exposure level.*: ([0-9.]+)", found)
    assert exposure is not None, found
    assert float(exposure[1]) <= WORST_EXPOSURE


def test_the_container_is_not_root() -> None:
    text = CONTAINER.read_text()
    user = re.search(r"(?m)^USER (\d+):(\d+)$", text)
    assert user is not None
    assert int(user[1]) > 0
    for option in ("--read-only", "--cap-drop ALL", "--security-opt no-new-privileges"):
        assert option in text


def test_the_container_compares_with_the_native_engine() -> None:
    built = next(line for line in joined_lines(CONTAINER) if "uv sync" in line and "KERNEL" in line)
    assert built.startswith("RUN VISUAL_REVIEW_KERNEL=require ")
    sent = {line[1:] for line in IGNORED.read_text().splitlines() if line.startswith("!")}
    assert {"native", "scripts", "src", "pyproject.toml"} <= sent
    assert [name for name in sent if not (CHECKOUT / name).exists()] == []


def joined_lines(recipe: Path) -> list[str]:
    return re.sub(r"\\\n\s*", " ", recipe.read_text()).splitlines()
