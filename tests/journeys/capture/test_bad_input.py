"""Folders, options and browsers that cannot work: a clear error soon, and no folder."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.bad_storybook import copy_storybook, replace_in, run_capture, take
from tests.support.case import Case
from tests.support.depth import DEEP
from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.client.capture import CaptureError

SECONDS = 10


def remove_some_assets(folder: Path) -> None:
    replace_in(folder / "iframe.html", "./preview.js", "./start.js")
    (folder / "start.js").write_text('import "./assets/gone-1a2b.js"; import "./preview.js";')


def fail_at_start(folder: Path) -> None:
    replace_in(folder / "preview.js", "const paint =", "undefinedThing.start();\nconst paint =")


def reject_at_start(folder: Path) -> None:
    replace_in(folder / "iframe.html", "./preview.js", "./start.js")
    (folder / "start.js").write_text('import("./preview.js").then(() => {}); import("./gone.js");')
    (folder / "preview.js").write_text("export {};")


def need_another_host(folder: Path) -> None:
    replace_in(folder / "iframe.html", "./preview.js", "https://cdn.example.org/preview.js")


def start_nothing(folder: Path) -> None:
    (folder / "preview.js").write_text("export {};")


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "some assets": (remove_some_assets, r"/assets/gone-1a2b\.js is missing \(status 404\)"),
    "an error": (fail_at_start, "undefinedThing is not defined"),
    "a rejection": (reject_at_start, r"/gone\.js is missing"),
    "another host": (need_another_host, r"cdn\.example\.org/preview\.js could not.*--allow-host"),
    "nothing": (start_nothing, "no script of its page starts it"),
}


ORDINARY = ("some assets",)


def test_a_preview_that_cannot_start_says_why_soon(case: Case, tmp_path: Path) -> None:
    for name in BROKEN if DEEP else ORDINARY:
        break_it, message = BROKEN[name]
        folder = copy_storybook(tmp_path / name)
        break_it(folder)
        with (
            case(name),
            pytest.raises(
                CaptureError, match=f"could not start: .*{message}.* Build the Storybook again"
            ),
        ):
            take(folder, "calm--first")


@pytest.mark.deep
def test_a_preview_that_cannot_start_ends_the_command_in_time(case: Case, tmp_path: Path) -> None:
    for name, (break_it, _) in BROKEN.items():
        folder = copy_storybook(tmp_path / name)
        break_it(folder)
        started = time.monotonic()
        with case(name):
            result = run_capture(folder, "--output", tmp_path / "out")
            assert result.returncode == 2
            assert time.monotonic() - started < SECONDS
            assert not (tmp_path / "out").exists()


def test_a_slow_preview_that_starts_is_not_taken_for_a_broken_one(tmp_path: Path) -> None:
    folder = copy_storybook(tmp_path / "slow")
    late = """
      setTimeout(() => { let sum = 0; for (let i = 0; i < 1e9; i += 1) sum += i % 7; }, 150);
      setTimeout(() => import("./preview.js"), 200);
      missing.start();
    """
    replace_in(folder / "iframe.html", "./preview.js", "./start.js")
    (folder / "start.js").write_text(late)
    report, shots = take(folder, "calm--first")
    assert (report.shots_ok, [shot.error for shot in shots]) == (1, [None])


def refuse(*arguments: object) -> str:
    started = time.monotonic()
    result = run_capture(*arguments)
    assert result.returncode == 2, result.stderr
    assert time.monotonic() - started < SECONDS
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


def test_input_that_cannot_be_captured_is_refused_at_once(case: Case, tmp_path: Path) -> None:
    output = ("--output", tmp_path / "out")
    empty = copy_storybook(tmp_path / "empty")
    (empty / "index.json").write_text('{"v": 5, "entries": {}}')
    no_script = copy_storybook(tmp_path / "no script")
    (no_script / "preview.js").unlink()
    no_json = copy_storybook(tmp_path / "no JSON")
    (no_json / "index.json").write_text('{"v": 5,')
    slow = tmp_path / "browser"
    slow.write_text("#!/bin/sh\nexit 3\n")
    slow.chmod(0o755)
    refused: dict[str, tuple[tuple[object, ...], str]] = {
        "a URL": (("http://127.0.0.1:9",), "http://127.0.0.1:9 is a URL"),
        "no stories": ((empty,), "has no stories. Does 'stories' in .storybook/main"),
        "no JSON": ((no_json,), "index.json is not valid JSON: Expecting"),
        "no script": ((no_script,), "needs preview.js, which is not in the folder"),
        "no browser": ((BAD_STORYBOOK, "--chromium", "/none"), "There is no browser at /none"),
        "a broken browser": (
            (BAD_STORYBOOK, "--chromium", slow),
            "choose another one with --chromium",
        ),
    }
    for name, (arguments, message) in refused.items():
        with case(name):
            assert message in refuse(*arguments, *output)
            assert not (tmp_path / "out").exists()


def test_odd_ids_are_captured_into_the_folder(tmp_path: Path) -> None:
    ids = [
        *("calm--first", "Calm--first", "../calm/%2e%2e", "a.b:c*?", "knöpfe--größe"),
        *("\N{GRINNING FACE}" * 150, "x" * 300),
    ]
    folder = copy_storybook(tmp_path / "odd")
    entries = {
        each: {"type": "story", "id": each, "title": "T", "name": "N", "importPath": "./a.js"}
        for each in ids
    }
    (folder / "index.json").write_text(json.dumps({"v": 5, "entries": entries}))
    names = json.dumps(ids)
    with (folder / "preview.js").open("a") as script:
        script.write(f"\nfor (const id of {names}) stories[id] = () => paint('odd');\n")
    result = run_capture(
        folder, "--output", tmp_path / "out", "--theme", "light", "--device", "phone"
    )
    assert result.returncode == 0, result.stderr
    assert len(list((tmp_path / "out").glob("*.png"))) == len(ids)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd", "out"]
