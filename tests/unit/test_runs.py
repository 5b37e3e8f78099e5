"""How the tests themselves run: their groups, the guard against hanging, the planted faults."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.planted_faults import PLANTS, Fault, PlantError, find_unplantable, plant_fault

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


HANGS = """
import threading

import pytest

from tests.support import hang_guard

hang_guard.GRACE_SECONDS = 0.5


@pytest.fixture
def stuck():
    yield
    try:
        threading.Event().wait()
    finally:
        threading.Event().wait()


def test_it(stuck):
    pass
"""


def test_a_teardown_that_hangs_is_aborted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(HANGS)
    plugins = ["-p", "pytest_timeout", "-p", "tests.support.hang_guard"]
    options = [*plugins, "-o", "timeout=0.5", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", *options, str(file)],
        cwd=ROOT,
        # The plugins of the project's own tests take seconds to load.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert "in stuck" in done.stderr


SOURCE = """
def other():
    return not allowed(1)

def guard(x):
    if not   allowed( x ):  # whatever its layout
        raise Refused("nö", x)
    return [not allowed(x)]
"""
PLANT = Fault("a test", "module", "guard", "not allowed(x)", "False", ())


def test_every_fault_can_be_planted_now() -> None:
    assert find_unplantable() == []
    assert len(PLANTS) == 5


def test_each_place_in_the_function_is_replaced_and_none_outside() -> None:
    text = plant_fault(SOURCE, PLANT)
    assert text.count("False") == 2
    assert "return not allowed(1)" in text
    assert "    if False:  # whatever its layout\n" in text
    assert 'raise Refused("nö", x)' in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": "gone"}, "has no function gone"),
        ({"found": "not allowed(y)"}, "has no expression `not allowed\\(y\\)`"),
    ],
)
def test_a_fault_that_no_longer_fits_is_named(change: dict[str, str], message: str) -> None:
    with pytest.raises(PlantError, match=message):
        plant_fault(SOURCE, replace(PLANT, **change))  # type: ignore[arg-type]
