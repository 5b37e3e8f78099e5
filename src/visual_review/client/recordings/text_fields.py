"""Texts out of reports, as the service and a page can take them; pure."""

import re
from typing import Final

# CSI sequences such as colours, and OSC ones such as links.
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# Between a suite and what is in it.
SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_WORD: Final = re.compile(r"[^\W_]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def clean(text: str) -> str:
    """``text`` without colours, control characters and halves of characters; lines stay."""
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    # A report may hold lone surrogates, which no answer over HTTP can.
    return _CONTROL.sub("", plain).encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def words_of(text: str) -> str:
    """Letters and digits in lower case, everything between them one dash, dashes around."""
    return f"-{'-'.join(_WORD.findall(text.casefold()))}-"
