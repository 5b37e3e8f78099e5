"""``visual-review diff`` with bad input: a line for each bad file, and the other pairs go on."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.support.case import Case
from tests.support.image_files import draw
from visual_review.cli.client import diff as command
from visual_review.cli.main import make_app
from visual_review.client.comparing import output_folder

app = make_app(["diff"])
GOOD = ("good.png", "z/good.png")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["diff", *map(str, arguments)])


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders in which only the good images can be compared; both of them differ."""
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
