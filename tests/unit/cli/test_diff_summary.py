"""The table and the progress line of ``visual-review diff``."""

import io

import pytest

from visual_review.cli.client.diff import (
    ProgressLine,
    describe_progress,
    print_table,
    shows_colors,
)
from visual_review.client.comparing.outcomes import Outcome, Results


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_has_a_rate_and_what_is_left() -> None:
    assert describe_progress(250, 1000, 0.5) == (
        "Comparing: 250 of 1,000 pairs, 500 pairs/s, 2 s left"
    )
    assert describe_progress(0, 10, 0) == "Comparing: 0 of 10 pairs, 0 pairs/s"


def test_progress_is_shown_on_a_terminal_only_and_erased() -> None:
    terminal, log = Terminal(), io.StringIO()
    for stream in (terminal, log):
        with ProgressLine(stream, 2) as progress:
            progress.update(1)
    assert log.getvalue() == ""
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_colors_follow_the_terminal_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shows_colors(Terminal())
    assert not shows_colors(io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert shows_colors(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not shows_colors(Terminal())


def test_a_message_of_a_file_stays_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    failed = Outcome("a\n.png", "failed", message="after: \x1b[2J")
    print_table(Results([failed], []), None)
    assert capsys.readouterr().out.splitlines()[1].split("a\N{REPLACEMENT CHARACTER}.png: ")[1] == (
        "after: \N{REPLACEMENT CHARACTER}[2J"
    )
