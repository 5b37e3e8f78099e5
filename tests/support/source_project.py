"""A small project whose Storybook is built by hand."""

import json
from pathlib import Path
from typing import Any

from visual_review.client.capture import source_hashes

Imports = dict[str, list[str]]

# What the list of stories imports, then button and card with a style that only card uses.
IMPORTS: Imports = {
    "/virtual:/vite-app.js": ["./.storybook/preview.js", "/virtual:/stories.js"],
    "/virtual:/stories.js": ["./src/button.stories.js", "./src/card.stories.js", "./src/intro.mdx"],
    "./.storybook/preview.js": ["./src/base.css"],
    "./src/button.stories.js": ["./src/button.js"],
    "./src/card.stories.js": ["./src/card.js", "./src/button.js"],
    "./src/card.js": ["./src/card.css?inline", "./src/card.js", "./src/icon.svg"],
    "./src/intro.mdx": ["./src/button.stories.js", "./src/diagram.js"],
}
# The module graph lists none of these: each is mentioned by the file before it.
MENTIONED = {
    "src/button.js": "new Worker(new URL('./button.worker.js', import.meta.url))",
    "src/button.worker.js": "importScripts('./sums.js')",
    "src/sums.js": "sums",
    "src/card.css": "@import '../../shared/card-shadow.css'; a { background: url(./dot.png) }",
    "../shared/card-shadow.css": "shadow",
    "src/dot.png": "dot",
    ".storybook/main.js": "import '../build/aliases.js'; export default { stories: ['../src/*'] }",
    "build/aliases.js": "aliases",
}
FILES = (
    ".env",
    ".storybook/main.js",
    ".storybook/preview.js",
    "package.json",
    "package-lock.json",
    "public/env.js",
    "src/base.css",
    "src/button.js",
    "src/button.stories.js",
    "src/card.css",
    "src/card.js",
    "src/card.stories.js",
    "src/diagram.js",
    "src/icon.svg",
    "src/included.scss",
    "src/intro.mdx",
    "src/unused.js",
    "locales/de.json",
)
BUNDLES = "assets/card-D1c2B3a4.js", "assets/card-D1c2B3a4.js.map", "main.1a2b3c4d.iframe.bundle.js"
PAGE = """<html><head>
<script type="module" crossorigin src="./assets/iframe-Ab3dEf6h.js"></script>
<link rel="modulepreload" crossorigin href="./assets/card-D1c2B3a4.js">
<script>window.place = "harbor"</script></head></html>"""
ENTRIES = {
    "button--a": ("story", "./src/button.stories.js"),
    "button--b": ("story", "./src/button.stories.js"),
    "card--a": ("story", "./src/card.stories.js"),
    "intro--docs": ("docs", "./src/intro.mdx"),
}
BUTTON = {"button--a", "button--b"}
CARD = {"card--a"}
ALL = BUTTON | CARD
BUILT = "storybook-static"


def make_stats(imports: Imports) -> dict[str, Any]:
    importers: dict[str, list[str]] = {}
    for importer, names in imports.items():
        for name in names:
            importers.setdefault(name, []).append(importer)
    return {
        "modules": [
            {"id": name, "name": name, "reasons": [{"moduleName": who} for who in whom]}
            for name, whom in importers.items()
        ]
    }


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make_project(root: Path) -> Path:
    for name in FILES:
        write(root / name, f"content of {name}")
    for name, text in MENTIONED.items():
        write(root / name, text)
    built = root / BUILT
    for name in (*BUNDLES, "env.js", "mockServiceWorker.js", "locales/en.json", "fonts/a.woff2"):
        write(built / name, f"content of {name}")
    write(built / "sb-manager" / "runtime.js", "manager")
    write(built / "assets" / "icon-Xy12Za34.svg", "content of src/icon.svg")
    write(built / "iframe.html", PAGE)
    write_json(built / "project.json", {"generatedAt": 1})
    entries = {
        name: {"type": kind, "id": name, "title": "T", "name": "N", "importPath": path}
        for name, (kind, path) in ENTRIES.items()
    }
    write_json(built / "index.json", {"v": 5, "entries": entries})
    write_stats(root, IMPORTS)
    return root


def write_json(path: Path, value: object) -> None:
    write(path, json.dumps(value))


def write_stats(project: Path, imports: Imports) -> None:
    write_json(project / BUILT / "preview-stats.json", make_stats(imports))


def read_hashes(project: Path) -> dict[str, str]:
    found = source_hashes(project / BUILT, project)
    assert found.reason is None
    assert found.hashes is not None
    return dict(found.hashes)


def read_reason(project: Path) -> str:
    found = source_hashes(project / BUILT, project)
    assert found.hashes is None
    return found.reason or ""


def changed_by(project: Path, name: str, text: str = "something else") -> set[str]:
    """Return the stories whose hash changes when the file ``name`` is written."""
    before = read_hashes(project)
    write(project / name, text)
    after = read_hashes(project)
    return {story for story in before if before[story] != after[story]}
