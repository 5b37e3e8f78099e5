"""Split a build's result into parts of JSON for a model to read one by one; pure.

Each part has pieces ``{"at": pointer, "value": ...}`` and the name of the next part. Joined in
order, the pieces are the whole result: objects at a pointer are merged, lists appended, strings
concatenated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from visual_review.api.mcp.rendering.truncation import count_json_tokens, fits

FIRST: Final = "start"
# A part has at most 10,000 tokens including its URI and the names around the pieces.
PART_TOKENS: Final = 9000
# A value of more tokens is split. The next values fill the rest of a part.
PIECE_TOKENS: Final = 8000
# Of the pointer, the names and the signs around a value; pointers contain names of ours only.
AROUND_TOKENS: Final = 30
# No character has more than six bytes in JSON, and no text more tokens than bytes.
STRING_LENGTH: Final = 1000
_NAME: Final = re.compile(r"(?P<section>[a-zA-Z]{1,30})-(?P<index>\d{1,9})(-(?P<piece>\d{1,9}))?")
Piece = dict[str, Any]


@dataclass(frozen=True)
class Position:
    """A place in the result: a section, the index of an item, a piece of the item."""

    section: str
    index: int = 0
    piece: int = 0

    @classmethod
    def of(cls, name: str) -> Self | None:
        """Return the start position of a part, or None if no part has the name."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        return cls(found["section"], int(found["index"]), int(found["piece"] or 0))

    @property
    def name(self) -> str:
        more = f"-{self.piece}" if self.piece else ""
        return f"{self.section}-{self.index}{more}"


@dataclass(frozen=True)
class Section:
    """A list of the result, or an object as its only item; ``items`` are made when needed."""

    name: str
    pointer: str
    items: Sequence[Any]
    is_list: bool = True


@dataclass(frozen=True)
class Part:
    pieces: list[Piece]
    next: Position | None


def read_part(
    sections: Sequence[Section], name: str, as_json: Mapping[str, Any] | None = None
) -> Part | None:
    """Return the part with the name; None if the part does not exist.

    ``as_json`` has, by section, the function for turning an item into JSON; other items are JSON.
    """
    position = Position(sections[0].name) if name == FIRST else Position.of(name)
    if position is None or not _exists(sections, position):
        return None
    pieces: list[Piece] = []
    left = PART_TOKENS
    for place, piece in _pieces_from(sections, position, as_json or {}):
        cost = count_json_tokens(piece["value"]) + AROUND_TOKENS
        if cost > left and pieces:
            return Part(_joined(pieces), place)
        left -= cost
        pieces.append(piece)
    return Part(_joined(pieces), None) if pieces else None


def _exists(sections: Sequence[Section], position: Position) -> bool:
    return any(
        section.name == position.section and position.index < len(section.items)
        for section in sections
    )


def _pieces_from(
    sections: Sequence[Section], start: Position, as_json: Mapping[str, Any]
) -> Iterator[tuple[Position, Piece]]:
    names = [section.name for section in sections]
    for section in sections[names.index(start.section) :]:
        convert = as_json.get(section.name)
        first = start.index if section.name == start.section else 0
        for index in range(first, len(section.items)):
            item = section.items[index]
            value = convert(item) if convert else item
            skipped = start.piece if (section.name, index) == (start.section, start.index) else 0
            for number, piece in enumerate(_pieces_of(section, index, value)):
                if number >= skipped:
                    yield Position(section.name, index, number), piece


def _pieces_of(section: Section, index: int, value: object) -> Iterator[Piece]:
    if not section.is_list:
        yield from _split(section.pointer, value)
    elif fits(value, PIECE_TOKENS):
        yield {"at": section.pointer, "value": [value]}
    else:
        yield from _split(f"{section.pointer}/{index}", value)


def _split(pointer: str, value: object) -> Iterator[Piece]:
    """Yield ``value`` in pieces of at most ``PIECE_TOKENS``."""
    if fits(value, PIECE_TOKENS):
        yield {"at": pointer, "value": value}
    elif isinstance(value, str):
        for start in range(0, len(value), STRING_LENGTH):
            yield {"at": pointer, "value": value[start : start + STRING_LENGTH]}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if fits(item, PIECE_TOKENS):
                yield {"at": pointer, "value": [item]}
            else:
                yield from _split(f"{pointer}/{index}", item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if fits(item, PIECE_TOKENS):
                yield {"at": pointer, "value": {name: item}}
            else:
                yield from _split(f"{pointer}/{name}", item)
    else:
        raise TypeError(f"No JSON value is as long as the one at {pointer}.")


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Join neighbors at the same pointer: most neighbors are."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and last["at"] == piece["at"]:
            found[-1] = {"at": piece["at"], "value": _join(last["value"], piece["value"])}
        else:
            found.append(piece)
    return found


def _join(first: Any, second: Any) -> Any:  # noqa: ANN401 - Any JSON of one kind.
    return {**first, **second} if isinstance(first, dict) else first + second
