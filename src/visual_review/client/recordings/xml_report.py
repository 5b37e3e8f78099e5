"""Reads XML reports without document types, and so without entities.

Entities can expand a short file to gigabytes, or read another file. No JUnit reporter uses
entities.
"""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from visual_review.client.recordings.case import ReportError, clean
from visual_review.client.recordings.json_report import read_report_bytes

MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Element:
    node: Node

    @property
    def name(self) -> str:
        """The name without the namespace declared by some reporters."""
        return self.node.tag.rpartition("}")[2]

    @property
    def children(self) -> list["Element"]:
        return [Element(child) for child in self.node]

    @property
    def text(self) -> str:
        pieces = (self.node.text, *(child.tail for child in self.node))
        return clean("".join(filter(None, pieces)))

    def get(self, name: str) -> str:
        return clean(self.node.get(name, ""))

    def named(self, *names: str) -> list["Element"]:
        return [child for child in self.children if child.name in names]


def read_xml(report: Path) -> Element:
    """Return the root element. Raises ReportError with line and column."""
    document = read_report_bytes(report)
    try:
        return Element(_parse(report, document))
    except ParseError as error:
        line, column = error.position
        reason = expat.ErrorString(error.code)
        raise ReportError(f"{report}, line {line}, column {column + 1}: {reason}.") from error
    except DefusedXmlException as error:
        line = 1 + document[: document.find(b"<!DOCTYPE")].count(b"\n")
        raise ReportError(
            f"{report}, line {line}: a document type is not allowed, since it can define "
            "entities. JUnit reports have none."
        ) from error
    # Unknown encodings, or encodings other than text encodings.
    except (LookupError, ValueError) as error:
        raise ReportError(f"{report} is not valid XML: {error}.") from error


def _parse(report: Path, document: bytes) -> Node:
    root: Node | None = None
    depth = 0
    events = iterparse(BytesIO(document), ("start", "end"), forbid_dtd=True)
    for event, node in events:
        root = node if root is None else root
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise ReportError(f"{report}: elements are nested deeper than {MAX_DEPTH}.")
    if root is None:
        raise ReportError(f"{report} is not valid XML: it has no element.")
    return root
