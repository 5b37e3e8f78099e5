"""Finds the sub-path that a Storybook was built for, such as ``/design/``.

At another path, absolute URLs are not found, and stories silently miss images or data.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.links import leads_out
from visual_review.client.capture.preview_page import PreviewPage, parse_preview
from visual_review.client.capture.stories import PREVIEW_FILE

ROOT: Final = "/"
# Pages and lists of every Storybook: their names say nothing about the path.
COMMON_FILES: Final = frozenset({"index.html", PREVIEW_FILE, "index.json", "stories.json"})
SHOWN: Final = 3


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
