"""The tests of a group run in one process of a parallel run."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.groups import SECONDS, group_of

CONFTEST = """
from tests.support.groups import GroupScheduling, sort_by_group


def pytest_collection_modifyitems(items):
    sort_by_group(items)


def pytest_xdist_make_scheduler(config, log):
    return GroupScheduling(config, log)
"""
WRITES_ITS_PROCESS = """
import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", range(4))
def test_it(number):
    group = "{group}".replace("/", "-")
    Path(__file__.replace(".py", f"-{{number}}.txt")).write_text(f"{{group}} {{os.getpid()}}")
"""
FILES = (
    "tests/unit/test_alone.py",
    "tests/journeys/server/test_one.py",
    "tests/journeys/server/test_two.py",
    "tests/journeys/hosts/test_three.py",
)
ROOT = Path(__file__).parents[2]


def test_a_group_is_a_package_of_journeys_or_a_file() -> None:
    assert group_of("tests/journeys/hosts/test_a.py::test_b[c::d]") == "tests/journeys/hosts"
    assert group_of("tests/journeys/test_a.py::test_b") == "tests/journeys/test_a.py"
    assert group_of("tests/actions/notifying/test_a.py::b") == "tests/actions/notifying/test_a.py"


def test_every_group_with_seconds_exists() -> None:
    assert [group for group in SECONDS if not (ROOT / group).exists()] == []


def test_two_processes_share_groups_but_no_group(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(WRITES_ITS_PROCESS.format(group=group_of(name)))
    plugins = ["-p", "xdist.plugin", "-p", "no:cacheprovider", "--import-mode=importlib"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", *plugins, "-c", "/dev/null", "--rootdir", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = [file.read_text().split() for file in tmp_path.rglob("*.txt")]
    assert len(written) == len(FILES) * 4
    assert len({process for _, process in written}) == 2
    assert len({(group, process) for group, process in written}) == len({g for g, _ in written})
