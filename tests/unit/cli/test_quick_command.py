"""Quickly parsed arguments mean the same as in Typer, and the rest is Typer's."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperCommand

from tests.support.case import Case
from tests.support.images import draw
from visual_review.cli.commands import CLIENT, load_commands
from visual_review.cli.quick_command import QuickCommand

USUAL = (
    ("a", "b"),
    ("a", "b", "--json"),
    ("--threshold", "0.25", "a", "b"),
    ("--threshold=1", "a", "b", "--jobs", "3"),
    ("a", "--ignore", "0,0,1,1", "--ignore=1%,2%,3%,4%", "b"),
    ("a", "b", "--include-aa", "--output", "some folder/x"),
    ("a", "b", "--include-anti-aliased", "--fail-on", "none", "--no-composites"),
    ("a", "b", "--max-diff-pixels", "10", "--max-diff-pixel-ratio", "0.5"),
    ("a", "b", "--no-faint"),
    ("a", "--no-faint", "b", "--faint"),
)
UNUSUAL = (
    ("a",),
    ("a", "b", "c"),
    ("--help",),
    ("a", "b", "--threshold", "2"),
    ("a", "b", "--threshold", "x"),
    ("a", "b", "--jobs", "-1"),
    ("a", "b", "--jobs", "1.5"),
    ("a", "b", "--output"),
    ("a", "b", "--json=1"),
    ("a", "b", "--no-faint=1"),
    ("a", "b", "--jso"),
    ("--", "-a", "-b"),
)

CAPTURE = (
    ("dir",),
    ("dir", "--output", "images", "--json", "--profile", "--require-sandbox"),
    ("--theme", "light", "--device=phone", "--device", "tablet", "dir", "--story", "a*"),
    ("dir", "--workers", "2", "--chromium", "/bin/x", "--config=c.toml", "--project-root", "."),
    ("dir", "--theme-value", "dark=Night", "--theme-global", "mode", "--allow-host", "a.example"),
    ("dir", "--workers", "0"),
    ("dir", "--workers", "many"),
    ("dir", "other"),
    ("dir", "--unknown"),
    ("--help",),
    (),
)


def load_command(name: str) -> QuickCommand:
    app = typer.Typer(add_completion=False)
    load_commands(app, [entry for entry in CLIENT if entry.name == name])
    found = typer.main.get_command(app)
    assert isinstance(found, QuickCommand)
    return found


def parse(command: TyperCommand, arguments: tuple[str, ...], parser: type[TyperCommand]) -> Any:  # noqa: ANN401 - A dict, or what went wrong.
    context = typer.Context(command)  # type: ignore[arg-type]
    try:
        parser.parse_args(command, context, list(arguments))
    except (typer.Exit, typer.BadParameter) as error:
        return type(error), str(error)
    except Exception as error:  # noqa: BLE001 - Typer's own errors are compared by their text.
        return type(error), str(error)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in context.params.items()
    }


@pytest.mark.parametrize(
    ("name", "cases"), [("diff", (*USUAL, *UNUSUAL)), ("capture", CAPTURE)], ids=["diff", "capture"]
)
def test_both_parsers_return_the_same(
    name: str, cases: tuple[tuple[str, ...], ...], case: Case
) -> None:
    command = load_command(name)
    for arguments in cases:
        with case(arguments):
            quick = parse(command, arguments, QuickCommand)
            assert quick == parse(command, arguments, TyperCommand)


def test_one_pair_imports_no_heavy_library(tmp_path: Path) -> None:
    heavy = ["pydantic", "rich", "numpy", "httpx", "django", "asyncio"]
    one, two = draw(tmp_path / "a.png"), draw(tmp_path / "b.png", (1, 1))
    program = (
        "import atexit, sys; from visual_review.imagediff import engine; name = engine().name; "
        "atexit.register(lambda: print(name, *(each for each in sys.argv[3:] if 0), "
        f"*(each for each in {heavy} if each in sys.modules))); "
        "from visual_review.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "diff", str(one), str(two)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    engine, *imported = done.stdout.splitlines()[-1].split()
    assert imported == (["numpy"] if engine == "numpy" else [])
