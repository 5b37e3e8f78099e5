"""What the page of a Storybook's preview says: URLs of files, the sub-path, and style sheets.

A Storybook may be built for a sub-path such as ``/design/``. At another path, absolute URLs are
not found, and stories silently miss images or data.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.stories import PREVIEW_FILE, leads_out

# Inline styles and settings are most of a page; hundreds of kilobytes are possible.
LONGEST_PAGE: Final = 8 << 20
IMPORT: Final = re.compile(r"""\b(?:import|from)\s*\(?\s*["']([^"'\s]+)["']""")
ATTRIBUTES: Final = {"script": "src", "link": "href", "img": "src"}
ROOT: Final = "/"
# Pages and lists of every Storybook: their names say nothing about the path.
COMMON_FILES: Final = frozenset({"index.html", PREVIEW_FILE, "index.json", "stories.json"})
SHOWN: Final = 3
# Far above the script of any preview.
LONGEST_SCRIPT: Final = 32 << 20
DEPENDENCY_LIST: Final = re.compile(r"\bm\.f=(\[[^\[\]]{0,4000000}\])")
STYLE_IMPORT: Final = re.compile(
    r'"(?P<story>\./[^"\n]{1,500})":(?:async )?(?:async)?\(\)=>[\w$]{1,20}\(\(\)=>'
    r"import\([`\"'][^`\"'\n]{1,500}[`\"']\),__vite__mapDeps\(\[(?P<places>[\d,]{0,20000})\]\)"
)


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


def find_sub_path(folder: Path) -> str:
    """Return the path for serving ``folder``, which begins and ends with a slash.

    Evidence is the base URL of the preview's page, and its absolute URLs that end in the name of a
    file of the folder.
    """
    page = parse_preview(folder)
    if page.base.startswith("/") and not page.base.startswith("//"):
        path = urlsplit(page.base).path
        return path[: path.rindex("/") + 1]
    # The preview's own scripts have the path of the bundler, other URLs come from the project.
    for urls in (page.modules, page.urls):
        found = Counter(filter(None, (_split(folder, url) for url in urls)))
        if found:
            return found.most_common(1)[0][0]
    return ROOT


def find_tail(folder: Path, url: str) -> tuple[str, str] | None:
    """Return the path and the file of a request below an unknown sub-path."""
    for path, tail in _divide(url):
        if path != ROOT and tail not in COMMON_FILES and _is_file(folder, tail):
            return path, tail
    return None


def require_modules(folder: Path, sub_path: str) -> None:
    """Raise ``CaptureError`` if no script of the preview's page is in ``folder``."""
    page = parse_preview(folder)
    tails = [_tail_of(url, page, sub_path) for url in dict.fromkeys(page.modules)]
    local = [tail for tail in tails if tail is not None]
    # One existing script is enough: a project may name an optional script of its own.
    if local and not any(_is_file(folder, tail) for tail in local):
        listed = ", ".join(local[:SHOWN])
        raise CaptureError(
            f"{folder / PREVIEW_FILE} needs {listed}, which is not in the folder. Copy all that "
            "`storybook build` wrote, or build the Storybook again."
        )


def _tail_of(url: str, page: PreviewPage, sub_path: str) -> str | None:
    """Return the file named by ``url``, and None for a file outside of this Storybook."""
    # A bare name is found by an import map.
    if not url.startswith((".", "/")):
        return None
    origin = "http://storybook"
    base = urljoin(f"{origin}{sub_path}{PREVIEW_FILE}", page.base)
    path = unquote(urlsplit(urljoin(base, url)).path)
    if not urljoin(base, url).startswith(f"{origin}/") or not path.startswith(sub_path):
        return None
    return path.removeprefix(sub_path)


def _split(folder: Path, url: str) -> str | None:
    """Return the path before the name of an existing file; None if ``url`` has no such name."""
    return next((path for path, tail in _divide(url) if _is_file(folder, tail)), None)


def _divide(url: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the rest of an absolute URL path at each slash, the longest rest first."""
    if not url.startswith("/") or url.startswith("//"):
        return
    parts = unquote(urlsplit(url).path).split("/")[1:]
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        return
    for count in range(len(parts)):
        yield "/".join(["", *parts[:count], ""]), "/".join(parts[count:])


def _is_file(folder: Path, tail: str) -> bool:
    try:
        return (folder / tail).is_file() and not leads_out(folder / tail, folder)
    # A name that the file system does not take.
    except OSError:
        return False


def read_style_sheets(folder: Path, preview_url: str) -> Mapping[str, tuple[str, ...]]:
    """Return the URLs of the style sheets of each story file, in the order of loading.

    Vite writes the style sheets next to the import of the file and loads the sheets before the
    file's modules, so a new page has the sheets, too. Without this list a page finds out by
    loading anew.

    Empty unless Vite built the Storybook in a known way.
    """
    found: dict[str, tuple[str, ...]] = {}
    page = parse_preview(folder)
    for module in dict.fromkeys(page.modules):
        url = urljoin(urljoin(preview_url, page.base), module)
        path = _find_file(folder, url, preview_url)
        if path is not None:
            with path.open("rb") as file:
                text = file.read(LONGEST_SCRIPT).decode("utf-8", "replace")
            found |= _read_imports(text, url)
    return found


def _find_file(folder: Path, url: str, preview_url: str) -> Path | None:
    start = urljoin(preview_url, ".")
    path = folder / urlsplit(url.removeprefix(start)).path
    if not url.startswith(start) or not path.is_file() or leads_out(path, folder):
        return None
    return path


def _read_imports(text: str, url: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the path of each story file imported in the script at ``url``, and its sheets."""
    if (listed := DEPENDENCY_LIST.search(text)) is None:
        return
    try:
        files = json.loads(listed[1])
    except ValueError:
        return
    for match in STYLE_IMPORT.finditer(text):
        places = [int(place) for place in match["places"].split(",") if place]
        names = [str(files[place]) for place in places if place < len(files)]
        # Other names are relative to the base of the build, which the script alone does not
        # contain.
        if len(names) == len(places) and all(name.startswith("./") for name in names):
            sheets = tuple(urljoin(url, name) for name in names if name.endswith(".css"))
            yield match["story"], sheets
