"""The command ``visual-review capture`` as called by CI."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from PIL import Image

from tests.support.ci import job
from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.variants import DEVICES

NOTED = ("calm--*", "outside--image")


def run_in_process(*arguments: object) -> job.CommandResult:
    return job.run(["capture", *map(str, arguments)], os.environ)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    call = "from visual_review.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", call, "capture", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def test_images_are_written_under_the_names_that_publish_reads(tmp_path: Path) -> None:
    result = run(
        BAD_STORYBOOK,
        *("--output", tmp_path / "out", "--story", "calm--*"),
        *("--theme", "dark", "--device", "phone", "--device", "tablet"),
    )
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(
        rf"6 captured, 0 failed, took \d+ s\. Images are in {tmp_path / 'out'}\.\n", result.stdout
    )
    assert result.stderr == "6 of 6\n"
    sizes = {path.name: size_of(path) for path in (tmp_path / "out").glob("*.png")}
    assert sizes == {
        f"calm--{name}--dark-{device}.png": size
        for name in ("first", "second", "third")
        for device, size in DEVICES.items()
        if device != "desktop"
    }


def test_failed_stories_are_reported_and_give_exit_code_1(tmp_path: Path) -> None:
    result = run_in_process(
        BAD_STORYBOOK,
        *("--output", tmp_path, "--theme", "light", "--device", "phone", "--json"),
        *("--story", "bad--throws", "--story", "calm--first", "--story", "parameters--skipped"),
        "--profile",
    )
    assert result.returncode == 1, result.stderr
    document = json.loads(result.stdout)
    assert (document["captured"], document["failed"], document["skipped"]) == (1, 1, 1)
    bad, calm = document["images"]
    assert (bad["storyId"], bad["file"]) == ("bad--throws", None)
    assert bad["error"] == "The story threw an exception: thrown on purpose"
    assert (calm["file"], calm["error"]) == ("calm--first--light-phone.png", None)
    assert [path.name for path in tmp_path.glob("*.png")] == [calm["file"]]
    # Not in the document.
    assert result.stderr.splitlines()[-1].endswith("  calm--first light-phone")


def test_a_folder_that_is_not_a_storybook_gives_exit_code_2(tmp_path: Path) -> None:
    result = run_in_process(tmp_path, "--output", tmp_path / "out")
    assert result.returncode == 2
    assert "visual-review capture:" in result.stderr
    assert "has no index.json" in result.stderr
    assert not (tmp_path / "out").exists()


def test_an_unknown_theme_gives_exit_code_2(tmp_path: Path) -> None:
    result = run_in_process(BAD_STORYBOOK, "--theme", "sepia", "--output", tmp_path / "out")
    assert result.returncode == 2
    assert "there is no theme 'sepia'; choose from light, dark" in result.stderr


def test_notes_are_in_the_document_the_manifest_and_the_summary(tmp_path: Path) -> None:
    chosen = [argument for name in NOTED for argument in ("--story", name)]
    options = ("--output", tmp_path, "--device", "phone", *chosen)
    document = json.loads(run_in_process(BAD_STORYBOOK, *options, "--json").stdout)
    # The two themes of these stories are the same, so each dark image has a note.
    assert document["noteCounts"] == {"blocked-request": 2, "same-themes": 4}
    assert document["refusedHosts"] == {"outside.example": 1}
    kinds = {
        (each["storyId"], each["theme"]): [note["kind"] for note in each["notes"]]
        for each in document["images"]
    }
    assert kinds["outside--image", "dark"] == ["blocked-request", "same-themes"]
    assert kinds["calm--first", "light"] == []
    manifest = json.loads((tmp_path / "visual-review-capture.json").read_text(encoding="utf-8"))
    listed = {each["storyId"]: each.get("notes") for each in manifest["screenshots"]}
    assert listed["calm--first"] is None
    lines = run_in_process(BAD_STORYBOOK, *options).stderr.splitlines()
    notes = [line for line in lines if line.startswith("note: ") and " screenshots " in line]
    refused, same = (line.removeprefix("note: ").partition(", such as ") for line in notes)
    assert refused[0] == "2 screenshots sent requests to hosts that are not allowed"
    assert refused[2].startswith("outside--image dark-phone: A request to another host was refused")
    assert same[0] == "4 screenshots in dark equal those in light, in all stories"
    assert same[2].startswith("calm--first dark-phone: Light and dark look the same")
