"""Names that attack the reader of a job's log, and the reader's view of the output."""

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from io import BytesIO, TextIOWrapper
from typing import Final
from unittest.mock import patch

from markdown_it import MarkdownIt

from tests.support.ci.job import CommandResult
from visual_review.cli.main import main

HOSTILE_TEXTS: Final = (
    "::add-mask::secret",
    "  ::error file=a.ts::broken",
    "::stop-commands::pause",
    "##[group]a group",
    "calm ##[set-env name=PATH]/tmp",
    "##vso[task.setvariable variable=PATH]/tmp",
    "calm ##VSO[task.complete result=Succeeded]",
    "##teamcity[buildStatus status='SUCCESS']",
    "section_start:1700000000:title[collapsed=true]\r\x1b[0KTitle",
    "calm\r\x1b[0Ksection_end:1700000000:title\r\x1b[0K",
    "--- a section",
    "+++ an open section",
    "~~~ a quiet section",
    "^^^ +++",
    "travis_fold:start:a",
    "\x1b[8mha:AAAA\x1b[0m",
    "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\x1b]1338;url='https://evil.example/a.png'\x07",
    "\x1b[31m::error::red",
    "calm\n::error::second line",
    "calm\r\n##vso[task.logissue type=error]second line",
    "calm\x0b::error::vertical tab",
    "calm\x85::error::next line",
    "calm\u2028::error::line separator",
    "\ufeff::error::byte order mark",
    "\u202e::rorre::",
    "[red]markup[/red] [link=https://evil.example]link[/link] [/]",
)
# Markup for the job summary, parsed as Markdown and HTML.
HOSTILE_MARKUP: Final = (
    "# heading",
    "| a | b |",
    "a\\|b",
    "[link](https://evil.example)",
    "![image](https://evil.example/a.png)",
    "[link]: https://evil.example",
    "https://evil.example www.evil.example mallory@evil.example",
    "@acme/everyone #1 GH-1 :tada: $x$",
    "```\ncode\n```",
    "`code` ``` ~~~ ***",
    "</code></td></table><img src=https://evil.example/a.png>",
    "<script>alert(1)</script><!-- <![CDATA[",
    "&lt;img&gt; &#60;img&#62;",
    "first\n\n# second\n\n    code",
    '" onclick="alert(1)',
)
_ANYWHERE: Final = (
    "##[",
    "##vso[",
    "##teamcity[",
    "section_start:",
    "section_end:",
    "travis_fold:",
)
_AT_START: Final = ("::", "---", "+++", "~~~", "^^^")
_INVISIBLE: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_COLOR: Final = re.compile(r"\x1b\[[0-7;]*m")


def find_commands(output: str) -> list[str]:
    """Return the lines that some CI system would obey, or that control the reader's terminal."""
    return [line for line in re.split(r"[\n\r]", output) if _is_command(_COLOR.sub("", line))]


def _is_command(line: str) -> bool:
    return (
        line.strip().startswith(_AT_START)
        or any(marker in line.lower() for marker in _ANYWHERE)
        or any(_controls(character) for character in line)
    )


def _controls(character: str) -> bool:
    return character != "\t" and (
        unicodedata.category(character) in {"Cc", "Zl", "Zp"} or character in _INVISIBLE
    )


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs or (tag, len(attrs), attrs[0][0]) == ("a", 1, "href"), attrs
        self.names.append(tag)


def list_elements(summary: str) -> list[str]:
    """Return the elements of a job summary after rendering the Markdown."""
    elements = _Elements()
    elements.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(summary))
    return elements.names


def run_main(arguments: Sequence[str], environment: Mapping[str, str]) -> CommandResult:
    """Run the program in this process as the console command does, with exactly the same output."""
    out, err = BytesIO(), BytesIO()
    code = 0
    with (
        patch.dict("os.environ", environment, clear=True),
        patch.object(sys, "argv", ["visual-review", *arguments]),
        patch.object(sys, "stdout", TextIOWrapper(out, "utf-8")),
        patch.object(sys, "stderr", TextIOWrapper(err, "utf-8")),
    ):
        streams = sys.stdout, sys.stderr
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        for stream in streams:
            stream.flush()
    return CommandResult(code, out.getvalue().decode(), err.getvalue().decode())
