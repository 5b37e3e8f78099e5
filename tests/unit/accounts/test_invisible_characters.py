"""Characters that show nothing, and joiners that change the visible text."""

import re
import unicodedata

from tests.support.case import Case
from visual_review.accounts.invisible_characters import hides_characters, is_invisible

SHOWN = (
    "",
    "a",
    "é",
    "日",
    "e\u0301",
    "👩🏽\u200d💻",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "क्\u200dष",
    "\ufffd",
)
HIDING = (
    "a\u200db",
    "日\u200c本",
    "\u200d",
    "a\ufe0f",
    "क्\u200d",
    "❤\ufe0f\ufe0f",
    "\u3164",
    "\U000e0041",
)


def test_what_is_hidden_depends_on_what_is_around_a_joiner(case: Case) -> None:
    for text in SHOWN:
        with case(ascii(text)):
            assert not hides_characters(text)
    for text in HIDING:
        with case(ascii(text)):
            assert hides_characters(text)


def test_no_letter_or_sign_with_a_form_counts_as_invisible() -> None:
    invisible = {chr(code) for code in range(0x110000) if is_invisible(chr(code))}
    # Fillers and blanks are the only ones besides controls, marks and unassigned ones.
    others = {
        each for each in invisible if unicodedata.category(each) not in {"Cf", "Cn", "Cs", "Mn"}
    }
    assert others == set("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
    # All variation selectors, and every format character of general use.
    named = {
        chr(code)
        for code in range(0x110000)
        if re.search("^(VARIATION SELECTOR|TAG )", unicodedata.name(chr(code), ""))
    }
    assert named <= invisible
