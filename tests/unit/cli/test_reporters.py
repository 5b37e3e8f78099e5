"""Progress of a publish: a bar on a terminal, plain lines elsewhere."""

import io

from rich.console import Console

from visual_review.cli.client.uploading import BarReporter, LineReporter
from visual_review.client.progress import Reporter


def show(reporter: Reporter) -> None:
    reporter.begin("Capturing screenshots", 20)
    for _ in range(20):
        reporter.advance()
    reporter.end()


def test_a_bar_shows_the_rate_and_the_time_left() -> None:
    # Each reading of the clock is a second later.
    seconds = iter(range(1000))
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, get_time=lambda: next(seconds))
    reporter = BarReporter(console)
    reporter.begin("Capturing screenshots", 20)
    for _ in range(10):
        reporter.advance()
    reporter.end()
    shown = file.getvalue()
    assert "10/20" in shown
    assert "/s" in shown
    assert " s left" in shown


def test_elsewhere_there_are_ten_plain_lines_per_step() -> None:
    file = io.StringIO()
    show(LineReporter(Console(file=file, width=120)))
    lines = file.getvalue().splitlines()
    assert lines[0] == "Capturing screenshots: 20"
    assert lines[1:] == [f"Capturing screenshots: {n} of 20" for n in range(2, 21, 2)]
