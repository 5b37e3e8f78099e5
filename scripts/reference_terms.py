"""The terms of the glossary in a text, as links to the glossary."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

GLOSSARY: Final = "../glossary.md"
# A row of a table whose term can be linked to.
ROW: Final = re.compile(r'^\| <a id="([\w-]+)"></a>([^|]+?) \|', re.MULTILINE)
SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)


class Term(NamedTuple):
    """A term with its anchor in the glossary."""

    name: str
    anchor: str

    def occurs_in(self, text: str) -> bool:
        # "Repository" also stands for repositories.
        stem = re.escape(self.name.lower()).removesuffix("y")
        ending = r"(?:y|ies)" if self.name.endswith("y") else "s?"
        # Not a part of a path or name such as ``group/sub/repo``.
        return re.search(rf"(?<![\w/-]){stem}{ending}(?![\w/-])", text.lower()) is not None

    def link(self) -> str:
        return f"[{self.name}]({GLOSSARY}#{self.anchor})"


def read_terms(glossary: str) -> list[Term]:
    """Return the terms with an anchor, in the order of the glossary."""
    return [Term(name, anchor) for anchor, name in ROW.findall(glossary)]


def term_line(texts: Iterable[str], terms: Iterable[Term]) -> str:
    """Return a line of links to the terms in ``texts``; empty without any."""
    text = "\n".join(texts)
    links = [term.link() for term in terms if term.occurs_in(text)]
    return f"Terms: {', '.join(links)}.\n" if links else ""


def section_of_values(values: Iterable[str], glossary: str) -> str:
    """Return the heading of the section that explains all ``values``; empty without one."""
    parts = SECTION.split(glossary)
    for heading, content in zip(parts[1::2], parts[2::2], strict=True):
        if all(f"`{value}`" in content for value in values):
            return heading
    return ""
