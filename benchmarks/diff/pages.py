"""The measured pairs: pages of the example, changed, and written by Chromium."""

import base64
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from scripts.setup_example import EXAMPLE, STATES
from scripts.setup_steps import (
    ROOT,
    SAMPLES,
    VENV_BIN,
    content_hash,
    is_fresh,
    run_program,
    say,
    write_stamp,
)

from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.installation import FOLDER
from benchmarks.diff.kinds import (
    FORMS,
    SIZES,
    Pixels,
    add_frame,
    change_box,
    change_points,
    encode_unfiltered,
    shift_down,
)
from visual_review.client.capture.chromium import find_chromium, stable_flags

CAPTURES, PAGES = FOLDER / "captures", FOLDER / "pages"
REAL_PAIRS = SAMPLES / "pairs"
BASE, CHANGED = (state.output.name for state in STATES)
SIGN_IN, PRICING, ARTICLE = "forms-sign-in--rejected", "pages-pricing--plans", "pages-article--long"
WIDE_MARGIN = 80


@dataclass(frozen=True)
class Pair:
    """Two files to compare."""

    before: Path
    after: Path


@dataclass(frozen=True)
class Cell:
    """Pairs measured together, one after the other, and the kind of their difference."""

    size: str
    form: str
    kind: str
    pairs: tuple[Pair, ...]

    def __str__(self) -> str:
        return f"{self.size} {self.form} {self.kind}"


def ensure_pages() -> None:
    """Capture the example in both states and write all pages, unless all is up to date."""
    ensure_captures()
    stamp = FOLDER / ".pages-stamp"
    sources = [ROOT / "benchmarks" / "diff" / name for name in ("pages.py", "kinds.py")]
    value = content_hash(sources, _states())
    if is_fresh(stamp, value):
        return
    say("writing the pages of the benchmark")
    PAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        # Chromium's sandbox does not start for root, and CI machines often run as root.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        program = find_chromium(None)
        browser = playwright.chromium.launch(
            executable_path=program, args=[*flags, *stable_flags()]
        )
        for size in SIZES:
            _write_pages(browser, size)
        browser.close()
    write_stamp(stamp, value)


def page_path(size: str, form: str, name: str) -> Path:
    return PAGES / f"{size}-{form}-{name}.png"


def make_cells(sizes: list[str], forms: list[str], kinds: list[str]) -> list[Cell]:
    return [
        Cell(
            size, form, kind, (Pair(page_path(size, form, "before"), page_path(size, form, kind)),)
        )
        for size in sizes
        for form in forms
        for kind in kinds
    ]


def find_real_pairs() -> tuple[Pair, ...]:
    """Return screenshots of real commits, of equal size and with different bytes."""
    found = []
    for before in sorted(REAL_PAIRS.glob("*/before/**/*.png")):
        parts = before.relative_to(REAL_PAIRS).parts
        after = REAL_PAIRS.joinpath(parts[0], "after", *parts[2:])
        if after.is_file() and differ(before, after) and _size_of(before) == _size_of(after):
            found.append(Pair(before, after))
    return tuple(found)


def find_changed_captures() -> list[Pair]:
    """Return the captures of equal size that differ between the two states of the example."""
    pairs = [Pair(path, CAPTURES / CHANGED / path.name) for path in captured()]
    return [
        pair
        for pair in pairs
        if pair.after.is_file()
        and differ(pair.before, pair.after)
        and _size_of(pair.before) == _size_of(pair.after)
    ]


def captured() -> list[Path]:
    return sorted((CAPTURES / BASE).glob("*.png"))


def differ(before: Path, after: Path) -> bool:
    return before.read_bytes() != after.read_bytes()


def _size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def _states() -> str:
    return " ".join(state.value for state in STATES)


def ensure_captures() -> None:
    stamp = FOLDER / ".captures-stamp"
    if is_fresh(stamp, _states()):
        return
    for state in (BASE, CHANGED):
        _capture(state)
    write_stamp(stamp, _states())


def _capture(state: str) -> None:
    say(f"capturing {state} for the benchmark")
    program = VENV_BIN / "visual-review"
    result = run_program([program, "capture", EXAMPLE / state, "--output", CAPTURES / state])
    # One story of the example fails on purpose, so the exit code is not 0.
    if not (CAPTURES / state / f"{SIGN_IN}--light-phone.png").is_file():
        raise BenchmarkError(f"the example was not captured:\n{result.stdout}")


def _read(state: str, story: str, theme: str, device: str) -> Pixels:
    with Image.open(CAPTURES / state / f"{story}--{theme}-{device}.png") as image:
        return np.asarray(image.convert("RGB"))


def _read_page(size: str, state: str, theme: str) -> Pixels:
    """Return a story cut to the size, or for the tall page three stories, one below the other."""
    width, height = SIZES[size]
    if size == "390x844":
        return _read(state, SIGN_IN, theme, "phone")[:height]
    if size == "1440x900":
        return _read(state, PRICING, theme, "desktop")[:height]
    # The article of the second state has another height; equal sizes are measured.
    parts = [_read(BASE, ARTICLE, theme, "desktop")]
    parts += [_read(state, story, theme, "desktop") for story in (PRICING, SIGN_IN)]
    columns = slice(WIDE_MARGIN, WIDE_MARGIN + width)
    return np.concatenate([part[:, columns] for part in parts])[:height]


def _change_page(size: str) -> Iterator[tuple[str, Pixels]]:
    before = _read_page(size, BASE, "light")
    yield "before", before
    yield "points", change_points(before)
    yield "text", _read_page(size, CHANGED, "light")
    yield "box", change_box(before)
    yield "shifted", shift_down(before)
    yield "theme", _read_page(size, BASE, "dark")


def _write_pages(browser: Browser, size: str) -> None:
    for name, page in _change_page(size):
        for form in FORMS:
            pixels = add_frame(page) if form == "rgba" else page
            data = _write_by_chromium(browser, pixels)
            if not np.array_equal(_decode(data), pixels):
                raise BenchmarkError(f"Chromium changed the pixels of {size} {form} {name}")
            page_path(size, form, name).write_bytes(data)
            if name == "before":
                page_path(size, form, "re-encoded").write_bytes(_write_by_pillow(pixels))
                page_path(size, form, "unfiltered").write_bytes(encode_unfiltered(pixels))


def _write_by_chromium(browser: Browser, pixels: Pixels) -> bytes:
    height, width = pixels.shape[:2]
    source = base64.b64encode(_write_by_pillow(pixels)).decode()
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_content(
        f'<body style="margin:0"><img style="display:block" src="data:image/png;base64,{source}">'
    )
    page.evaluate("document.images[0].decode()")
    data = page.screenshot(omit_background=True)
    page.close()
    return data


def _write_by_pillow(pixels: Pixels) -> bytes:
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "PNG")
    return target.getvalue()


def _decode(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)
