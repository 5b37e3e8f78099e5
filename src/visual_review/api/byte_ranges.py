"""Parts of a file over HTTP, as players ask for them; pure. Source: RFC 9110, section 14."""

import re
from dataclasses import dataclass
from typing import Final

_SINGLE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


@dataclass(frozen=True)
class Span:
    """Bytes ``first`` to ``last``, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


class RangeOutsideError(Exception):
    """The file ends before the range begins."""


def span_of(header: str, size: int) -> Span | None:
    """The part of a file of ``size`` bytes that ``header`` asks for; None for the whole.

    Several ranges at once, other units and nonsense are answered with the whole, as the standard
    allows. Raises RangeOutsideError.
    """
    match = _SINGLE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        # The last so many bytes.
        span = Span(max(0, size - int(last)), size - 1)
        return _inside(span, size) if int(last) else _outside()
    if last and int(last) < int(first):
        return None
    return _inside(Span(int(first), min(int(last) if last else size - 1, size - 1)), size)


def _inside(span: Span, size: int) -> Span:
    return span if span.first < size else _outside()


def _outside() -> Span:
    raise RangeOutsideError
