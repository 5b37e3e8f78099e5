"""``visual-review diff``: compares two PNG files, or two folders of them, on this machine."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, Literal, NoReturn

import typer
from rich.progress import track
from rich.table import Table
from rich.text import Text

from visual_review.cli.client.console import is_interactive, make_console, print_json, print_lines
from visual_review.client.terminal import printable
from visual_review.imagediff import (
    DEFAULT_LIMITS,
    DEFAULT_OPTIONS,
    ENGINE_VERSION,
    Comparison,
    ImageError,
    Options,
    Verdict,
    compare,
    compare_and_render,
)

NO_DIFFERENCES: Final = 0
DIFFERENCES_FOUND: Final = 1
FAILED: Final = 2

State = Literal["unchanged", "changed", "new", "removed", "failed"]
STYLES: Final[dict[State, str]] = {
    # In the order of the summary, worst first.
    "failed": "bold red",
    "changed": "yellow",
    "new": "green",
    "removed": "magenta",
    "unchanged": "dim",
}


class DiffInputError(Exception):
    """The two paths cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files with the same relative name; None if one folder does not have it."""

    name: str
    before: Path | None
    after: Path | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one pair; ``diff_image`` is the file that shows the difference."""

    name: str
    state: State
    verdict: Verdict | None = None
    message: str | None = None
    diff_image: Path | None = None


def diff(
    before: Annotated[Path, typer.Argument(help="A PNG file, or a folder of PNG files.")],
    after: Annotated[Path, typer.Argument(help="The file or folder to compare it with.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=1, help="Largest color distance that counts as equal."),
    ] = DEFAULT_OPTIONS.threshold,
    include_anti_aliased: Annotated[
        bool,
        typer.Option("--include-anti-aliased", help="Count anti-aliased pixels as differences."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to write the diff images to.")
    ] = None,
) -> None:
    """Compare two PNG files, or two folders file by file.

    Files in folders are paired by their relative paths. Exits with 0 if nothing differs, 1 if
    anything differs, 2 if anything could not be compared.
    """
    options = Options(threshold, include_anti_aliased)
    try:
        pairs = find_pairs(before, after)
        outcomes = [compare_pair(pair, options, output) for pair in _with_progress(pairs)]
    except (DiffInputError, OSError) as error:
        _exit_with_error(error)
    if as_json:
        print_json(make_json_document(outcomes, options))
    else:
        print_table(outcomes)
    raise typer.Exit(exit_code(outcomes))


def find_pairs(before: Path, after: Path) -> list[Pair]:
    """Pair files by relative path, sorted by it. Raises DiffInputError without any."""
    for path in (before, after):
        if not path.exists():
            raise DiffInputError(f"{path} does not exist")
    if before.is_dir() != after.is_dir():
        folder, file = (before, after) if before.is_dir() else (after, before)
        raise DiffInputError(
            f"{folder} is a folder and {file} is a file; give two files or two folders"
        )
    if not before.is_dir():
        return [Pair(after.name, before, after)]
    old, new = _find_images(before), _find_images(after)
    if not old and not new:
        raise DiffInputError(f"neither {before} nor {after} contains a PNG file")
    return [Pair(name, old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys())]


def compare_pair(pair: Pair, options: Options, output: Path | None) -> Outcome:
    """Compare one pair and write its diff image; an unreadable image gives a failed outcome.

    Raises OSError if the diff image cannot be written.
    """
    if pair.before is None or pair.after is None:
        return Outcome(pair.name, "new" if pair.before is None else "removed")
    try:
        compared = _compare(_read(pair.before), _read(pair.after), options, draw=output is not None)
    except ImageError as error:
        where = f"{error.side}: " if error.side else ""
        return Outcome(pair.name, "failed", message=f"{where}{error}")
    except OSError as error:
        return Outcome(pair.name, "failed", message=str(error))
    if compared.verdict.equal:
        return Outcome(pair.name, "unchanged", compared.verdict)
    target = None
    if output is not None:
        target = output / PurePosixPath(pair.name).with_suffix(".png")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compared.diff_image)
    return Outcome(pair.name, "changed", compared.verdict, diff_image=target)


def exit_code(outcomes: Iterable[Outcome]) -> int:
    states = {outcome.state for outcome in outcomes}
    # A failed comparison outweighs a difference: the result is unknown.
    if "failed" in states:
        return FAILED
    return DIFFERENCES_FOUND if states - {"unchanged"} else NO_DIFFERENCES


def make_json_document(outcomes: list[Outcome], options: Options) -> dict[str, Any]:
    """Return the JSON document of ``--json``; it lists every image, also unchanged ones."""
    counts = Counter(outcome.state for outcome in outcomes)
    return {
        "engineVersion": ENGINE_VERSION,
        "threshold": options.threshold,
        "includeAntiAliased": options.include_anti_aliased,
        "counts": {state: counts[state] for state in STYLES},
        "images": [_entry(outcome) for outcome in outcomes],
    }


def print_table(outcomes: list[Outcome]) -> None:
    out = make_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("state")
    table.add_column("pixels", justify="right")
    table.add_column("share", justify="right")
    table.add_column("image", overflow="fold")
    shown = [outcome for outcome in outcomes if outcome.state != "unchanged"]
    for outcome in shown:
        table.add_row(*_cells(outcome))
    if shown:
        out.print(table)
        out.print()
    counts = Counter(outcome.state for outcome in outcomes)
    out.print(", ".join(f"{counts[state]} {state}" for state in STYLES if counts[state]))


def _cells(outcome: Outcome) -> tuple[Text, str, str, Text]:
    verdict = outcome.verdict
    name = printable(outcome.name)
    if outcome.message is not None:
        name = f"{name}: {printable(outcome.message)}"
    elif verdict is not None and verdict.row_shift is not None:
        shift = verdict.row_shift
        change = "inserted" if shift.inserted else "removed"
        name = f"{name} ({shift.count} rows {change} at {shift.at})"
    elif verdict is not None and verdict.kind == "size":
        name = f"{name} (size differs)"
    pixels = "" if verdict is None else f"{verdict.diff_pixels:,}"
    share = "" if verdict is None else f"{verdict.diff_ratio:.4%}"
    return Text(outcome.state, style=STYLES[outcome.state]), pixels, share, Text(name)


def _entry(outcome: Outcome) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": outcome.name, "diffState": outcome.state}
    verdict = outcome.verdict
    if verdict is not None:
        entry |= {
            "kind": verdict.kind,
            "diffPixels": verdict.diff_pixels,
            "diffRatio": verdict.diff_ratio,
            "antiAliasedPixels": verdict.anti_aliased_pixels,
            "width": verdict.width,
            "height": verdict.height,
            "boxes": [asdict(box) for box in verdict.boxes],
            "rowShift": asdict(verdict.row_shift) if verdict.row_shift else None,
        }
    if outcome.message is not None:
        entry["message"] = outcome.message
    if outcome.diff_image is not None:
        entry["picture"] = str(outcome.diff_image)
    return entry


def _find_images(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.suffix.lower() == ".png" and path.is_file()
    }


def _read(path: Path) -> bytes:
    """Read a file, but at most one byte more than is allowed."""
    with path.open("rb") as file:
        return file.read(DEFAULT_LIMITS.file_bytes + 1)


def _compare(old: bytes, new: bytes, options: Options, *, draw: bool) -> Comparison:
    if draw and old != new:
        return compare_and_render(old, new, options)
    # When no diff image is drawn, most equal files need not be decoded.
    return Comparison(compare(old, new, options), b"")


def _with_progress(pairs: list[Pair]) -> Iterable[Pair]:
    bar = make_console(stderr=True)
    quiet = len(pairs) == 1 or not is_interactive(bar)
    return track(pairs, "Comparing", console=bar, transient=True, disable=quiet)


def _exit_with_error(error: Exception) -> NoReturn:
    print_lines(make_console(stderr=True), f"visual-review diff: {error}")
    raise typer.Exit(FAILED) from error
