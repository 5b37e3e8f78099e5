"""The set-up scripts: fresh and supported parts, and the messages of failures."""

import json
import sys
from pathlib import Path

import pytest
from scripts.setup_example import EXAMPLE, State
from scripts.setup_steps import SetupError, content_hash, require_success, run_program, write_stamp
from scripts.setup_tools import CHROMIUM_VARIABLE, installed_chromium, is_supported, node_version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("one")
    return source


def test_the_hash_follows_bytes_and_names_but_not_times(folder: Path) -> None:
    before = content_hash([folder])
    (folder / "a.txt").write_text("one")
    assert content_hash([folder]) == before
    (folder / "a.txt").rename(folder / "b.txt")
    renamed = content_hash([folder])
    (folder / "b.txt").write_text("two")
    assert len({before, renamed, content_hash([folder])}) == 3


def test_a_state_is_built_until_its_inputs_change_or_its_output_goes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(State, "stamp", tmp_path / "stamp")
    state = State("build", tmp_path / "output", (folder,))
    state.output.mkdir()
    index = state.output / "index.json"
    index.write_text("{}")
    assert not state.is_built()
    write_stamp(state.stamp, state.value)
    assert state.is_built()
    index.rename(tmp_path / "index.json")
    assert not state.is_built()
    (tmp_path / "index.json").rename(index)
    (folder / "a.txt").write_text("changed")
    assert not state.is_built()


@pytest.mark.parametrize("version", [(22, 19), (23, 0), (24, 0)])
def test_node_versions_that_the_inspector_runs_on_are_supported(version: tuple[int, ...]) -> None:
    assert is_supported(version)


@pytest.mark.parametrize("version", [(), (18, 20), (20, 20), (21, 7), (22, 18)])
def test_other_node_versions_are_not(version: tuple[int, ...]) -> None:
    assert not is_supported(version)


def test_a_node_that_is_missing_has_no_version(tmp_path: Path) -> None:
    assert node_version(tmp_path / "node") == ()


def test_a_failed_step_says_what_ran_what_it_printed_and_what_to_do() -> None:
    with pytest.raises(SetupError) as raised:
        require_success(
            [sys.executable, "-c", "print('no disk'); raise SystemExit(3)"], "Buy a disk."
        )
    message = str(raised.value)
    assert "SystemExit(3)" in message
    assert "failed (3)" in message
    assert message.endswith("no disk\nBuy a disk.")


def test_a_program_that_is_missing_counts_as_failed(tmp_path: Path) -> None:
    assert run_program([tmp_path / "gone"]).returncode == 127


def test_a_named_browser_that_does_not_start_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHROMIUM_VARIABLE, str(tmp_path / "browser"))
    with pytest.raises(SetupError, match="browser, which does not start"):
        installed_chromium()


def test_the_lock_file_of_the_example_names_no_registry() -> None:
    lock = json.loads((EXAMPLE / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert [name for name, entry in packages.items() if "integrity" not in entry] == []


def test_the_expected_differences_add_up() -> None:
    expected = json.loads((EXAMPLE / "EXPECTED.json").read_text())
    totals = expected["totals"]
    counts = {
        kind: sum(len(row["variants"]) for row in expected[kind])
        for kind in ("changed", "new", "removed", "failed")
    }
    assert counts == {kind: totals[kind] for kind in counts}
    compared = counts["changed"] + counts["new"] + counts["failed"] + totals["unchanged"]
    assert compared == 6 * totals["storiesChanged"]
