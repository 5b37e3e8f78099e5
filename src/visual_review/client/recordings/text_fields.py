"""Cleans strings of reports for the service and its pages; pure functions."""

import re
from typing import Final

# CSI sequences such as colors, and OSC sequences such as links.
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# Between a suite and its contents.
SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_WORD: Final = re.compile(r"[^\W_]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def clean(text: str) -> str:
    """Return ``text`` without colors, control characters and lone surrogates; lines stay."""
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    # A report may contain lone surrogates, which UTF-8 cannot encode.
    return _CONTROL.sub("", plain).encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def slugify(text: str) -> str:
    """Return the words of ``text`` in lower case, with dashes between and around them."""
    return f"-{'-'.join(_WORD.findall(text.casefold()))}-"
