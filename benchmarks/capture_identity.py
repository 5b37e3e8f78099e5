"""``make capture-identity``: every Storybook five times, under different conditions.

Prints for each how many images are identical in all runs. ``CHECK=1`` exits with 1 and names every
image that differs and is not marked as unstable.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import Final

from benchmarks.capture.identity import CONDITIONS, HEAD, capture_repeatedly
from benchmarks.capture.runs import FOLDER
from benchmarks.capture.storybooks import (
    REAL_FOLDERS,
    TEST_FOLDERS,
    add_storybook_options,
    choose_sample,
    choose_storybooks,
)
from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.machine import describe_machine
from visual_review.client.capture import CaptureError

# Stories of each real Storybook: few enough for five runs in less than 20 minutes on two cores.
STORIES: Final = 36


def measure_all(options: argparse.Namespace) -> list[str]:
    """Print a row for each Storybook, and return the images that differ without a mark."""
    books = choose_storybooks(options)
    differing = []
    print(HEAD, flush=True)
    for whole in books:
        started = time.monotonic()
        book = choose_sample(whole, options, FOLDER / "sample")
        images = capture_repeatedly(book, CONDITIONS)
        row = images.format_row(book, len(CONDITIONS), time.monotonic() - started)
        print(row, *images.format_reasons(), sep="\n", flush=True)
        names = images.find_differing(len(CONDITIONS))
        found = [f"{book.name}: {images.describe(name)}" for name in names]
        if found:
            print(*(f"  DIFFERS: {each}" for each in found), sep="\n", flush=True)
        differing += found
    return differing


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="capture-identity", description=__doc__)
    add_storybook_options(parser, (*REAL_FOLDERS, *TEST_FOLDERS), STORIES)
    return parser.parse_args(arguments)


def main() -> int:
    options = read_options()
    print(describe_machine())
    print("runs:", ", ".join(condition.name for condition in CONDITIONS), flush=True)
    try:
        differing = measure_all(options)
    except (BenchmarkError, CaptureError) as error:
        print(f"capture-identity: {error}", file=sys.stderr)
        return 2
    if differing and os.environ.get("CHECK") == "1":
        print(f"capture-identity: {len(differing)} image(s) differ without a mark", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
