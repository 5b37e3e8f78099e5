"""Folders, options and browsers that cannot work: a clear error soon, and no folder."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys.capture.test_command import BAD_STORYBOOK, run_in_process
from tests.support.case import Case
from tests.support.depth import DEEP
from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureError,
    CaptureReport,
    CaptureSettings,
    Shot,
    read_stories,
)
from visual_review.client.capture.run import capture

SECONDS = 10
PHONE = ALL_VARIANTS[0]
SOON = CaptureSettings(workers=1, startup_quiet=0.3)


def copy_storybook(folder: Path) -> Path:
    shutil.copytree(BAD_STORYBOOK, folder)
    return folder


def take(
    folder: Path, *ids: str, settings: CaptureSettings = SOON
) -> tuple[CaptureReport, list[Shot]]:
    stories = [story for story in read_stories(folder) if story.id in ids]
    shots: list[Shot] = []
    return capture(folder, [PHONE], stories, settings, shots.append), shots


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def remove_some_assets(folder: Path) -> None:
    replace_in(folder / "iframe.html", "./preview.js", "./start.js")
    (folder / "start.js").write_text('import "./assets/gone-1a2b.js"; import "./preview.js";')


def fail_at_start(folder: Path) -> None:
    replace_in(folder / "preview.js", "const root =", "undefinedThing.start();\nconst root =")


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
        with case(name), pytest.raises(CaptureError, match=f"could not start: .*{message}"):
            take(folder, "calm--first")


@pytest.mark.deep
def test_a_preview_that_cannot_start_ends_the_command_in_time(case: Case, tmp_path: Path) -> None:
    for name, (break_it, _) in BROKEN.items():
        folder = copy_storybook(tmp_path / name)
        break_it(folder)
        started = time.monotonic()
        with case(name):
            result = run_in_process(folder, "--output", tmp_path / "out")
            assert result.returncode == 2
            assert time.monotonic() - started < 2 * SECONDS
            assert not (tmp_path / "out").exists()


def test_a_slow_preview_that_starts_is_not_taken_for_a_broken_one(tmp_path: Path) -> None:
    folder = copy_storybook(tmp_path / "slow")
    late = 'setTimeout(() => import("./preview.js"), 500);\nfetch("./none.json");'
    replace_in(folder / "iframe.html", "./preview.js", "./start.js")
    (folder / "start.js").write_text(late)
    report, shots = take(folder, "calm--first")
    assert (report.shots_ok, [shot.error for shot in shots]) == (1, [None])


def refuse(*arguments: object) -> str:
    started = time.monotonic()
    result = run_in_process(*arguments)
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
    slow = tmp_path / "browser"
    slow.write_text("#!/bin/sh\nexit 3\n")
    slow.chmod(0o755)
    refused: dict[str, tuple[tuple[object, ...], str]] = {
        "a URL": (("http://127.0.0.1:9",), "http://127.0.0.1:9 is a URL"),
        "no stories": ((empty,), "has no stories. Does 'stories' in .storybook/main"),
        "no script": ((no_script,), "needs preview.js, which is not in the folder"),
        "no browser": ((BAD_STORYBOOK, "--chromium", "/none"), "There is no browser at /none"),
        "a broken browser": ((BAD_STORYBOOK, "--chromium", slow), "did not start"),
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
    result = run_in_process(
        folder, "--output", tmp_path / "out", "--theme", "light", "--device", "phone"
    )
    assert result.returncode == 0, result.stderr
    assert len(list((tmp_path / "out").glob("*.png"))) == len(ids)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd", "out"]
