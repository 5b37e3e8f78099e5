"""Reads the URLs of the files for the page of a Storybook's preview."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from visual_review.client.capture.links import leads_out
from visual_review.client.capture.stories import PREVIEW_FILE

# Inline styles and settings are most of a page; hundreds of kilobytes are possible.
LONGEST_PAGE: Final = 8 << 20
IMPORT: Final = re.compile(r"""\b(?:import|from)\s*\(?\s*["']([^"'\s]+)["']""")
ATTRIBUTES: Final = {"script": "src", "link": "href", "img": "src"}


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """The URLs in the page of the preview."""

    # The base URL.
    base: str
    # All but the modules.
    urls: tuple[str, ...]
    # Scripts of type ``module``.
    modules: tuple[str, ...]


def parse_preview(folder: Path) -> PreviewPage:
    """Return the URLs of the preview's page; no URLs for an unreadable page."""
    parser = _Parser()
    path = folder / PREVIEW_FILE
    if path.is_file() and not leads_out(path, folder):
        with path.open("rb") as file:
            parser.feed(file.read(LONGEST_PAGE).decode("utf-8", "replace"))
        parser.close()
    return PreviewPage(parser.base, tuple(parser.urls), tuple(parser.modules))


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.urls: list[str] = []
        self.modules: list[str] = []
        self._in_module = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "base" and not self.base:
            self.base = values.get("href", "")
        self._in_module = tag == "script" and values.get("type") == "module"
        if url := values.get(ATTRIBUTES.get(tag, ""), ""):
            (self.modules if self._in_module else self.urls).append(url)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._in_module = False

    def handle_data(self, data: str) -> None:
        if self._in_module:
            # Storybook's page for webpack has "./" in front of every path, also absolute ones.
            found = IMPORT.findall(data)
            self.modules += [url[2:] if url.startswith(".//") else url for url in found]
