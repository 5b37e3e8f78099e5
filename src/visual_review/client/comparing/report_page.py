"""The page of a report: one file without a server, loading nothing but the report's images."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

GENERATOR: Final = '<meta name="generator" content="visual-review diff">'
INCOMPLETE_PAGE: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{GENERATOR}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Incomplete comparison</title>
</head>
<body>
<p>This comparison has not ended, or it was interrupted. Its images are incomplete. Run it again.</p>
</body>
</html>
"""
STYLES: Final = ("report.css", "list.css", "viewer.css", "changes.css")
SCRIPTS: Final = ("view_modes.js", "changes.js", "listing.js", "viewer.js", "report.js")
_FOLDER: Final = Path(__file__).parent / "page"
# Texts about an image; all other values of a listed image are files.
TEXTS: Final = frozenset({"summary", "message"})
_PLACE: Final = re.compile("@([a-z]+)@")


def make_page(document: Mapping[str, Any], inputs: tuple[Path, Path], facts: str) -> str:
    """Return the page for a document whose files are named relative to the page."""
    before, after = map(str, inputs)
    css = "".join(map(_read, STYLES))
    script = "".join(map(_read, SCRIPTS))
    parts = {
        "policy": _make_policy(css, script),
        "title": html.escape(f"Comparison of {before} and {after}"),
        "before": html.escape(before),
        "after": html.escape(after),
        "facts": html.escape(facts),
        "sheets": _link_sheets(document.get("sheets", [])),
        "list": "\n".join(_list_entry(entry) for entry in document["images"]),
        "document": _embed(document),
        "css": css,
        "script": script,
    }
    # One pass never searches inserted texts for places again.
    return _PLACE.sub(lambda found: parts[found[1]], _read("report.html"))


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _make_policy(css: str, script: str) -> str:
    """Allow exactly this style and script, and images next to the page."""
    allowed = (
        "default-src 'none'",
        # From a folder, 'self' is nothing in some browsers.
        "img-src 'self' file:",
        f"style-src '{_digest(css)}'",
        f"script-src '{_digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(allowed)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _embed(document: Mapping[str, Any]) -> str:
    """Return JSON without any end tag of the script element."""
    return json.dumps(document).replace("<", "\\u003c")


def _list_entry(entry: Mapping[str, Any]) -> str:
    """Return a line for readers without JavaScript; with JavaScript, the page builds its own list."""
    if entry["diffState"] == "unchanged":
        return ""
    parts = [f"{html.escape(entry['name'])}: {html.escape(entry['diffState'])}"]
    for key in ("summary", "message", "composite", "picture", "before", "after"):
        value = entry.get(key)
        if value is not None and key in TEXTS:
            parts.append(html.escape(value))
        elif value is not None:
            name = "difference" if key == "picture" else key
            parts.append(f'<a href="{quote(value, errors="replace")}">{name}</a>')
    return f"<li>{' '.join(parts)}</li>"


def _link_sheets(paths: Sequence[str]) -> str:
    """Return links to the sheets, if there are any."""
    if not paths:
        return ""
    links = (
        f'<a href="{quote(path, errors="replace")}">{number}</a>'
        for number, path in enumerate(paths, 1)
    )
    return f'  <p class="facts">Sheets: {" ".join(links)}</p>\n'
