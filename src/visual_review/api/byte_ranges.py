"""Byte ranges of a file over HTTP, as requested by video players; pure (RFC 9110, section 14)."""

import re
from dataclasses import dataclass
from typing import Final

_SINGLE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


@dataclass(frozen=True)
class ByteRange:
    """Bytes ``first`` to ``last``, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


class RangeNotSatisfiableError(Exception):
    """The file ends before the range begins."""


def parse_range(header: str, size: int) -> ByteRange | None:
    """Return the range requested by ``header`` of a file of ``size`` bytes; None for all of it.

    Several ranges at once, other units and invalid headers mean the whole file, as the standard
    allows. Raises RangeNotSatisfiableError.
    """
    match = _SINGLE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        # A suffix: the last so many bytes.
        span = ByteRange(max(0, size - int(last)), size - 1)
        return _inside(span, size) if int(last) else _outside()
    if last and int(last) < int(first):
        return None
    return _inside(ByteRange(int(first), min(int(last) if last else size - 1, size - 1)), size)


def _inside(span: ByteRange, size: int) -> ByteRange:
    return span if span.first < size else _outside()


def _outside() -> ByteRange:
    raise RangeNotSatisfiableError
