"""No output is a command to a CI system, however the output is cut into pieces."""

import json
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.ci.hostile_output import HOSTILE_TEXTS, find_commands
from visual_review.client.terminal import LineEscaper, escape_commands, escape_json

MARKERS = ("::", "##", "[", "vso[", "teamcity[", "section_", "start:", "end:", "travis_fold:")
CONTROLS = (
    "\n",
    "\r",
    "\t",
    "\0",
    "\x1b",
    "\x1b[0m",
    "\x1b[8m",
    "\x85",
    "\u2028",
    "\u202e",
    "\ufeff",
)
PIECES = st.sampled_from((*MARKERS, *CONTROLS, *':#-+~^ a"\\'))
TEXTS = st.lists(PIECES | st.characters(codec="utf-8"), max_size=12).map("".join)


@given(TEXTS)
def test_no_line_is_a_command(text: str) -> None:
    assert find_commands(LineEscaper(terminal=False).escape(text)) == []


@given(TEXTS, st.lists(st.integers(0, 40), max_size=5))
def test_pieces_are_escaped_like_the_whole(text: str, cuts: list[int]) -> None:
    # An escape sequence is kept only in one piece.
    plain = text.replace("\x1b", "")
    at = [0, *sorted(min(cut, len(plain)) for cut in cuts), len(plain)]
    escaper = LineEscaper(terminal=False)
    written = "".join(escaper.escape(plain[start:end]) for start, end in pairwise(at))
    assert written == LineEscaper(terminal=False).escape(plain)


@given(TEXTS)
def test_a_terminal_gets_only_colors_and_moves_of_the_cursor(text: str) -> None:
    written = LineEscaper(terminal=True).escape(text)
    assert find_commands(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)) == []


@given(st.lists(TEXTS))
def test_json_keeps_its_value(texts: list[str]) -> None:
    document = escape_json(json.dumps(texts, indent=2))
    assert json.loads(document) == texts
    assert find_commands(document) == []


def test_ordinary_text_is_not_changed(case: Case) -> None:
    for text in ("a::b", "1 -- 2", "C++", "#1 [x]", "a --- b", "\x1b[1;31mred\x1b[0m", "ok\n\n ok"):
        with case(text):
            assert LineEscaper(terminal=False).escape(text) == text


def test_the_marker_stays_readable() -> None:
    assert escape_commands("::error::x") == ": :error::x"
    assert escape_commands("a ##vso[task]") == "a ##vso [task]"
    assert escape_commands("  --- x") == "  -- - x"


def test_each_hostile_text_is_one(case: Case) -> None:
    """The table would prove nothing if the reader did not see its commands."""
    for text in HOSTILE_TEXTS[:-1]:
        with case(repr(text)):
            assert find_commands(text)
