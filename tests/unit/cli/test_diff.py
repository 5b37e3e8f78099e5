"""The command ``visual-review diff``, with output and exit codes."""

import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from tests.support.case import Case
from tests.support.images import draw
from visual_review.cli.client import diff as command
from visual_review.cli.main import make_app
from visual_review.client.comparing import output_folder
from visual_review.imagediff import probe
from visual_review.imagediff.changes.model import CHANGE_KINDS

app = make_app(["diff"])
BLOCK = tuple((x, y) for x in range(20, 60) for y in range(50, 58))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["diff", *map(str, arguments)])


def run_json(*arguments: str | Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return result


@pytest.fixture
def image_folders(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        draw(folder / "same.png")
        (folder / "notes.txt").write_text("not compared")
    draw(before / "deep" / "moved.png", (1, 1))
    draw(after / "deep" / "moved.png", (3, 1), (9, 9))
    draw(before / "gone.png")
    draw(after / "fresh.PNG")
    return before, after


def test_equal_files_exit_with_0(tmp_path: Path) -> None:
    one, two = draw(tmp_path / "one.png"), draw(tmp_path / "two.png")
    result = run(one, two)
    assert result.exit_code == 0
    assert result.stdout == "1 unchanged\n"


def test_different_files_exit_with_1_and_are_listed(tmp_path: Path) -> None:
    one, two = draw(tmp_path / "one.png"), draw(tmp_path / "two.png", (4, 4), (5, 5))
    result = run(one, two)
    assert result.exit_code == 1
    head, row, *rest = result.stdout.splitlines()
    assert head.split() == ["state", "pixels", "share", "image"]
    assert row.split()[:4] == ["changed", "2", "1.0000%", "two.png:"]
    assert rest == ["", "1 changed"]


def test_folders_are_matched_by_relative_path(image_folders: tuple[Path, Path]) -> None:
    result = run(*image_folders)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["changed", "new", "removed"]
    assert "deep/moved.png" in lines[1]
    assert lines[-1] == "1 changed, 1 new, 1 removed, 1 unchanged"


def test_the_json_document_names_every_image(image_folders: tuple[Path, Path]) -> None:
    found = run_json(*image_folders)
    assert found["counts"] == {
        "failed": 0,
        "changed": 1,
        "new": 1,
        "removed": 1,
        "unchanged": 1,
    }
    images = {image["name"]: image for image in found["images"]}
    assert list(images) == sorted(images)
    assert images["fresh.PNG"] == {"name": "fresh.PNG", "diffState": "new"}
    moved = images["deep/moved.png"]
    assert (moved["diffState"], moved["reason"], moved["diffPixels"]) == ("changed", "pixels", 3)
    assert moved["diffRatio"] == 3 / 200
    assert moved["boxes"] == [{"x": 1, "y": 1, "width": 9, "height": 9}]
    assert (moved["width"], moved["height"]) == (20, 10)


def test_the_json_document_says_what_changed_and_what_changed_alike(
    image_folders: tuple[Path, Path],
) -> None:
    before, after = image_folders
    for name in ("one--light-phone.png", "two--light-phone.png"):
        draw(before / name, size=(200, 100))
        draw(after / name, *BLOCK, size=(200, 100))
    found = run_json(before, after)
    images = {image["name"]: image for image in found["images"]}
    assert not {"kind", "summary", "changes"} & images["same.png"].keys()
    changed = images["one--light-phone.png"]
    assert (changed["kind"], changed["changes"][0]["kind"]) in {
        (kind,) * 2 for kind in CHANGE_KINDS
    }
    assert changed["summary"]
    assert 0 < changed["severity"] <= 1
    assert changed["alignedPixels"] == changed["diffPixels"] == len(BLOCK)
    assert (changed["alignedRatio"], changed["faintPixels"]) == (len(BLOCK) / 20000, 0)
    box = changed["changes"][0]
    assert box["x"] <= 20
    assert box["x"] + box["width"] >= 60
    assert [group["images"] for group in found["groups"]] == [
        ["deep/moved.png"],
        ["one--light-phone.png", "two--light-phone.png"],
    ]
    assert found["groups"][0].keys() == {"key", "name", "kind", "images", "remainders"}


def test_the_table_says_what_changed_and_what_changed_alike(
    image_folders: tuple[Path, Path],
) -> None:
    for folder, marks in zip(image_folders, ((), BLOCK), strict=True):
        for name in ("one.png", "two.png"):
            draw(folder / name, *marks, size=(200, 100))
    lines = run(*image_folders).stdout.splitlines()
    assert lines[0].split() == ["state", "pixels", "share", "group", "image"]
    summary = run_json(*image_folders)["images"][3]["summary"]
    for name in ("one.png", "two.png"):
        (row,) = (line for line in lines if f" {name}: " in line)
        assert row.endswith(f"{len(BLOCK)}  1.6000%      1  {name}: {summary}")
    assert lines[-3].startswith("group 1: 2 alike: ")
    assert lines[-1] == "3 changed, 1 new, 1 removed, 1 unchanged"


def test_diff_images_are_written_only_for_changes(
    image_folders: tuple[Path, Path], tmp_path: Path
) -> None:
    output = tmp_path / "new" / "images"
    found = run_json(*image_folders, "--output", output)
    written = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    assert written == {
        "after/deep/moved.png",
        "after/fresh.PNG",
        "before/deep/moved.png",
        "before/gone.png",
        "composites/deep/moved.png",
        "differences/deep/moved.png",
        "index.html",
        "report.json",
        "sheets/sheet-1.png",
    }
    assert found["sheets"] == [f"{output}/sheets/sheet-1.png"]
    difference = output / "differences" / "deep" / "moved.png"
    assert probe(difference.read_bytes()).width == 20
    assert [image.get("picture") for image in found["images"]].count(str(difference)) == 1


def test_threshold_and_anti_aliasing_reach_the_comparison(tmp_path: Path) -> None:
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    Image.new("L", (4, 4), 255).save(one)
    Image.new("L", (4, 4), 250).save(two)
    assert run(one, two).exit_code == 0
    assert run(one, two, "--threshold", "0").exit_code == 1
    assert run_json(one, two, "--include-anti-aliased")["includeAntiAliased"] is True
    assert run(one, two, "--threshold", "1.5").exit_code == 2


def test_a_broken_image_fails_without_stopping_the_others(image_folders: tuple[Path, Path]) -> None:
    broken = image_folders[1] / "same.png"
    broken.write_bytes(broken.read_bytes()[:-20])
    result = run(*image_folders)
    assert result.exit_code == 2
    assert "same.png: after: the PNG is truncated" in result.stdout
    assert "deep/moved.png" in result.stdout
    assert "1 failed, 1 changed" in result.stdout


def test_a_broken_image_without_a_pair_fails_and_the_report_is_complete(
    image_folders: tuple[Path, Path], tmp_path: Path
) -> None:
    broken = image_folders[1] / "fresh.PNG"
    broken.write_bytes(broken.read_bytes()[:-20])
    for output in ((), ("--output", tmp_path / "report")):
        result = run(*image_folders, *output)
        assert result.exit_code == 2
        assert "fresh.PNG: after: the PNG is truncated" in result.stdout
    assert (tmp_path / "report" / "sheets" / "sheet-1.png").exists()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("absent", "folder", "absent does not exist"),
        ("folder", "file.png", "folder is a folder and"),
        ("file.png", "folder", "is a file; give two files or two folders"),
        ("folder", "folder", "contains a PNG, JPEG or WebP file"),
    ],
)
def test_paths_that_cannot_be_compared_exit_with_2(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    draw(tmp_path / "file.png")
    result = run(tmp_path / before, tmp_path / after)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_the_engine_and_the_settings_are_in_the_json_document(tmp_path: Path) -> None:
    one, two = draw(tmp_path / "one.png"), draw(tmp_path / "two.png", (4, 4))
    found = run_json(one, two, "--ignore", "4,4,1,1", "--ignore", "50%,0%,1%,1%", "--include-aa")
    assert found["engine"] in {"native", "numpy"}
    assert found["ignore"] == ["4,4,1,1", "50%,0%,1%,1%"]
    assert found["includeAntiAliased"] is True
    assert found["images"][0]["reason"] == "regions"


def test_differences_can_be_tolerated_and_states_chosen(image_folders: tuple[Path, Path]) -> None:
    assert run(*image_folders).exit_code == 1
    assert run(*image_folders, "--fail-on", "none").exit_code == 0
    assert run(*image_folders, "--fail-on", "removed").exit_code == 1
    few = run_json(*image_folders, "--max-diff-pixels", "3")
    assert few["counts"]["changed"] == 0
    moved = next(image for image in few["images"] if image["name"] == "deep/moved.png")
    assert (moved["diffState"], moved["tolerated"], moved["diffPixels"]) == ("unchanged", True, 3)
    share = run_json(*image_folders, "--max-diff-pixel-ratio", "0.014")
    assert share["counts"]["changed"] == 1


def test_a_faint_change_makes_an_image_changed_unless_it_is_not_to_count(tmp_path: Path) -> None:
    before, after = tmp_path / "before.png", tmp_path / "after.png"
    page = Image.new("RGB", (400, 300), "white")
    page.save(after)
    page.paste((244, 244, 244), (50, 60, 170, 140))
    page.save(before)
    found = run_json(before, after, "--output", tmp_path / "report")
    (image,) = found["images"]
    assert (image["diffState"], image["kind"]) == ("changed", "faint")
    assert (image["diffPixels"], image["faintPixels"]) == (0, 120 * 80)
    assert [change["kind"] for change in image["changes"]] == ["faint"]
    assert {"picture", "composite"} <= image.keys()
    ignored = run(before, after, "--no-faint")
    assert (ignored.exit_code, ignored.stdout) == (0, "1 unchanged\n")
    (image,) = run_json(before, after, "--no-faint")["images"]
    assert (image["diffState"], image["faintPixels"]) == ("unchanged", 120 * 80)
    limit = run_json(before, after, "--max-diff-pixels", "9600")
    assert limit["images"][0]["tolerated"] is True


def test_moved_content_is_said_to_have_moved(tmp_path: Path) -> None:
    before, after = tmp_path / "before.png", tmp_path / "after.png"
    lines = [(x, y) for y in range(20, 80, 4) for x in range(20, 180, 1 + y % 7)]
    draw(before, *lines, size=(200, 140))
    draw(after, *((x, y + 40) for x, y in lines), size=(200, 140))
    (image,) = run_json(before, after)["images"]
    assert image["kind"] == "moved"
    assert image["changes"][0]["movedBy"] == {"x": 0, "y": 40}
    assert image["alignedPixels"] < image["diffPixels"]


def test_jpeg_and_webp_are_compared(tmp_path: Path) -> None:
    for name in ("photo.jpg", "picture.webp"):
        draw(tmp_path / "before" / name, size=(64, 64), lossless=name.endswith("webp"))
        draw(tmp_path / "after" / name, *((x, 9) for x in range(40)), size=(64, 64))
    found = run_json(tmp_path / "before", tmp_path / "after", "--output", tmp_path / "out")
    assert found["counts"]["changed"] == 2
    assert {image["before"] for image in found["images"]} == {
        f"{tmp_path}/out/before/photo.jpg",
        f"{tmp_path}/out/before/picture.webp",
    }
    assert (tmp_path / "out" / "differences" / "photo.jpg.png").is_file()


def test_the_result_does_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    for number in range(30):
        draw(tmp_path / "before" / f"{number}.png")
        draw(tmp_path / "after" / f"{number}.png", *[(1, 1)] * (number % 2))
    folders = (tmp_path / "before", tmp_path / "after")
    assert run(*folders, "--jobs", "1").stdout == run(*folders, "--jobs", "7").stdout


def test_an_output_that_cannot_be_written_exits_with_2(
    image_folders: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run(*image_folders, "--output", tmp_path / "file")
    assert result.exit_code == 2
    assert "visual-review diff: " in result.stderr


def test_a_name_cannot_control_the_terminal(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        draw(tmp_path / folder / "same.png")
    draw(tmp_path / "after" / "\x1b]0;title\x07[red]x.png")
    out = run(tmp_path / "before", tmp_path / "after").stdout
    assert "\x1b" not in out
    assert "]0;title\N{REPLACEMENT CHARACTER}[red]x.png" in out


def test_on_a_terminal_progress_leaves_only_the_table(image_folders: tuple[Path, Path]) -> None:
    # The program's standard output and error are a real terminal here.
    parent, child = pty.openpty()
    script = "from visual_review.cli.main import main; main()"
    command = [sys.executable, "-c", script, "diff", *map(str, image_folders)]
    program = subprocess.Popen(command, stdout=child, stderr=child, stdin=child)
    os.close(child)
    shown = io.BytesIO()
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:
            break
        if not part:
            break
        shown.write(part)
    os.close(parent)
    assert program.wait() == 1
    assert b"1 removed" in shown.getvalue()
    assert b"Traceback" not in shown.getvalue()


GOOD = ("good.png", "z/good.png")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders in which only the good images can be compared; both pairs differ."""
    before, after = tmp_path / "before", tmp_path / "after"
    for name in GOOD:
        draw(before / name)
        draw(after / name, (1, 1))
    data = (before / "good.png").read_bytes()
    bad = {
        "truncated.png": data[:-20],
        "checksum.png": data.replace(b"IDAT", b"IDAU"),
        "header.png": data[:16] + b"\x00\x00\xff\xff\x00\x00\xff\xff" + data[24:],
        "text.png": b"no image",
        "empty.png": b"",
        "cut.jpg": b"\xff\xd8\xff\xe0",
        "cut.webp": b"RIFF\x00\x00\x00\x00WEBPVP8 ",
    }
    for name, content in bad.items():
        (before / name).write_bytes(data)
        (after / name).write_bytes(content)
    (before / "folder.png").write_bytes(data)
    (after / "folder.png").mkdir()
    for name in ("case.png", "Case.png"):
        (after / name).write_bytes(data)
    (after / "new-and-empty.png").write_bytes(b"")
    os.mkfifo(after / "pipe.png")
    (before / "pipe.png").write_bytes(data)
    (after / "lost.png").symlink_to("nowhere")
    (after / "loop").symlink_to(after)
    return before, after


def test_each_bad_file_has_one_line_and_the_others_are_compared(
    folders: tuple[Path, Path], case: Case
) -> None:
    result = run(*folders)
    assert result.exit_code == 2
    lines = result.stdout.partition("\n\n")[0].splitlines()[1:]
    rows = {
        re.split(r"\s+", line, maxsplit=1)[1].split(": ")[0].split()[-1]: line for line in lines
    }
    expected = {
        "truncated.png": "after: the PNG is truncated",
        "checksum.png": "after: the IDAU chunk at byte",
        "header.png": "after: ",
        "text.png": "after: not a PNG",
        "empty.png": "after: not a PNG but an empty file",
        "cut.jpg": "after: the JPEG is damaged",
        "cut.webp": "after: the WebP is truncated",
        "folder.png": "after: is a folder, not a file",
        "case.png": "only upper and lower case distinguish it from Case.png",
        "Case.png": "only upper and lower case distinguish it from case.png",
        "new-and-empty.png": "after: not a PNG but an empty file",
        "pipe.png": "after: is a named pipe, not a file",
        "lost.png": "after: is a symbolic link to a file that does not exist",
        "loop": "after: is a symbolic link to a folder around it",
    }
    assert len(lines) == len(expected) + len(GOOD)
    for name, message in expected.items():
        with case(name):
            assert f"{name}: {message}" in rows[name]
    assert all(rows[name].startswith("changed") for name in GOOD)


def test_a_pipe_instead_of_a_file_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = run(draw(tmp_path / "a.png"), tmp_path / "pipe")
    assert result.exit_code == 2
    assert "after: is a named pipe, not a file" in result.stdout


def test_options_with_a_mistake_exit_with_2(tmp_path: Path, case: Case) -> None:
    image = draw(tmp_path / "a.png")
    cases = {
        ("--ignore", "1,2,3"): "--ignore '1,2,3' is not x,y,width,height",
        ("--fail-on", "everything"): "give some of changed,new,removed, or none",
        ("--jobs", "many"): "jobs",
        ("--threshold", "nan"): "threshold",
        ("--unknown",): "No such option",
    }
    for arguments, message in cases.items():
        with case(arguments):
            result = run(image, image, *arguments)
            assert result.exit_code == 2
            assert message in result.stderr


def test_an_earlier_report_is_replaced_as_a_whole(tmp_path: Path) -> None:
    before, after, output = tmp_path / "before", tmp_path / "after", tmp_path / "out"
    for name in ("a.png", "b.png"):
        draw(before / name)
        draw(after / name, (1, 1))
    assert run(before, after, "--output", output).exit_code == 1
    (output / "notes.txt").write_text("of someone else")
    shutil.copy(before / "b.png", after / "b.png")
    assert run(before, after, "--output", output).exit_code == 1
    found = {path.name for path in output.rglob("*.png")}
    assert found == {"a.png", "sheet-1.png"}
    assert (output / "notes.txt").read_text() == "of someone else"


def test_files_of_others_are_never_replaced(tmp_path: Path, case: Case) -> None:
    image = draw(tmp_path / "a.png")
    for entry in ("before", "index.html", "report.json"):
        with case(entry):
            output = tmp_path / f"out-{entry}"
            output.mkdir()
            (output / entry).write_text("mine")
            result = run(image, image, "--output", output)
            assert result.exit_code == 2
            assert "was not written by visual-review diff" in result.stderr
            assert [path.name for path in output.iterdir()] == [entry]


def test_an_output_that_would_replace_what_is_compared_is_an_error(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    draw(before / "a.png")
    draw(after / "a.png", (1, 1))
    same = run(before, after, "--output", after)
    assert same.exit_code == 2
    assert "cannot be the output folder, too" in same.stderr
    around = run(before, after, "--output", tmp_path)
    assert around.exit_code == 2
    assert "is in the part of" in around.stderr
    assert (after / "a.png").is_file()


def test_an_output_folder_inside_an_input_is_not_compared(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    draw(before / "a.png")
    draw(after / "a.png", (1, 1))
    for _ in range(2):
        result = run(before, after, "--output", after / "report")
        assert "\n1 changed\n" in result.stdout


def test_a_full_disk_leaves_nothing_behind_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    draw(before / "a.png")
    draw(after / "a.png", (1, 1))
    # A device that is always full stands for the disk.
    monkeypatch.setattr(
        output_folder, "portable_name", lambda name: "../../full" if name == "a.png" else name
    )
    (tmp_path / "full").symlink_to("/dev/full")
    result = run(before, after, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert "out was deleted" in result.stderr
    assert not (tmp_path / "out").exists()


def test_ctrl_c_leaves_nothing_behind_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = draw(tmp_path / "before.png"), draw(tmp_path / "after.png", (1, 1))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "make_page", interrupt)
    result = run(before, after, "--output", tmp_path / "out")
    assert result.exit_code == 130
    assert f"interrupted; the report in {tmp_path / 'out'} was deleted" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_killed_run_leaves_a_page_that_says_that_it_is_incomplete(tmp_path: Path) -> None:
    image = draw(tmp_path / "a.png")
    output = tmp_path / "out"
    script = (
        "import os, sys; from visual_review.cli.client import diff; "
        "diff.make_page = lambda *_: os.kill(os.getpid(), 9); "
        "from visual_review.cli.main import main; main()"
    )
    arguments = ["diff", str(image), str(draw(tmp_path / "b.png", (1, 1))), "--output", str(output)]
    subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, check=False)
    assert "it was interrupted" in (output / "index.html").read_text()
    assert run(*arguments[1:]).exit_code == 1
    assert "it was interrupted" not in (output / "index.html").read_text()
