"""Reads XML reports into a small tree, without document types: so there are no entities.

Entities are how a short file becomes gigabytes, or reads another file; no JUnit writer uses
them. ``xml.etree`` would expand them, hence expat itself.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.json_report import bytes_of
from visual_review.client.recordings.text_fields import clean

DEEPEST: Final = 100


@dataclass(slots=True)
class Element:
    name: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return clean("".join(self.pieces))

    def get(self, name: str) -> str:
        return clean(self.attributes.get(name, ""))

    def named(self, *names: str) -> list["Element"]:
        return [child for child in self.children if child.name in names]


def read_xml(report: Path) -> Element:
    """The root. Raises ReportError with line and column."""
    return _Builder(report).read(bytes_of(report))


class _Builder:
    def __init__(self, report: Path) -> None:
        self._report = report
        self._open: list[Element] = []
        self._root: Element | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, document: bytes) -> Element:
        try:
            self._parser.Parse(document, True)  # noqa: FBT003 - How expat is told of the end.
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise ReportError(
                f"{self._report}, line {error.lineno}, column {error.offset + 1}: {reason}."
            ) from error
        # Encodings it does not know, or that are no text.
        except (LookupError, ValueError) as error:
            raise ReportError(f"{self._report} is no readable XML: {error}.") from error
        if self._root is None:
            raise ReportError(f"{self._report} is no readable XML: it has no element.")
        return self._root

    def _doctype(self, *_: object) -> None:
        raise ReportError(
            f"{self._report}, line {self._parser.CurrentLineNumber}: a document type is not "
            "taken, since it can define entities. JUnit reports have none."
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) == DEEPEST:
            raise ReportError(
                f"{self._report}, line {self._parser.CurrentLineNumber}: elements are nested "
                f"deeper than {DEEPEST}."
            )
        element = Element(name, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _text(self, data: str) -> None:
        self._open[-1].pieces.append(data)
