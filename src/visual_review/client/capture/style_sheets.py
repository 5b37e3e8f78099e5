"""Reads the style sheets of each story file of a Storybook built by Vite.

Vite writes the style sheets next to the import of the file and loads the sheets before the file's
modules, so a new page has the sheets, too. Without this list a page finds out by loading anew.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit

from visual_review.client.capture.links import leads_out
from visual_review.client.capture.preview_page import parse_preview

# Far above the script of any preview.
LONGEST_SCRIPT: Final = 32 << 20
FILES: Final = re.compile(r"\bm\.f=(\[[^\[\]]{0,4000000}\])")
IMPORT: Final = re.compile(
    r'"(?P<story>\./[^"\n]{1,500})":(?:async )?(?:async)?\(\)=>[\w$]{1,20}\(\(\)=>'
    r"import\([`\"'][^`\"'\n]{1,500}[`\"']\),__vite__mapDeps\(\[(?P<places>[\d,]{0,20000})\]\)"
)


def read_style_sheets(folder: Path, preview_url: str) -> Mapping[str, tuple[str, ...]]:
    """Return the URLs of the style sheets of each story file, in the order of loading.

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
    if (listed := FILES.search(text)) is None:
        return
    try:
        files = json.loads(listed[1])
    except ValueError:
        return
    for match in IMPORT.finditer(text):
        places = [int(place) for place in match["places"].split(",") if place]
        names = [str(files[place]) for place in places if place < len(files)]
        # Other names are relative to the base of the build, which the script alone does not
        # contain.
        if len(names) == len(places) and all(name.startswith("./") for name in names):
            sheets = tuple(urljoin(url, name) for name in names if name.endswith(".css"))
            yield match["story"], sheets
