"""A small project whose Storybook is built by hand."""

import json
from pathlib import Path
from typing import Any

from visual_review.client.capture import source_hashes

Imports = dict[str, list[str]]

# Imports of the list of stories, then button and card with a style only used in the card.
IMPORTS: Imports = {
    "/virtual:/vite-app.js": ["./.storybook/preview.js", "/virtual:/stories.js"],
    "/virtual:/stories.js": ["./src/button.stories.js", "./src/card.stories.js", "./src/intro.mdx"],
    "./.storybook/preview.js": ["./src/base.css"],
    "./src/button.stories.js": ["./src/button.js"],
    "./src/card.stories.js": ["./src/card.js", "./src/button.js"],
    "./src/card.js": ["./src/card.css?inline", "./src/card.js", "./src/icon.svg"],
    "./src/intro.mdx": ["./src/button.stories.js", "./src/diagram.js"],
}
FILES = (
    ".storybook/main.js",
    ".storybook/preview.js",
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
    "src/intro.mdx",
    "src/unused.js",
)
# As Vite writes them: a list of all files, and the story files with positions in the list.
BUNDLES = {
    "assets/iframe-Ab3dEf6h.js": (
        "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f="
        '["./button.stories-Qw3rTy8u.js","./button-Zx5cVb7n.js","./card.stories-Mn4bVc6x.js",'
        '"./card-D1c2B3a4.js","./card-Lk9jHg2f.css"])))=>i.map(i=>d[i]);\n'
        'import"./vendor-Po8iUy6t.js";'
        'const s={"./src/button.stories.js":()=>p(()=>import(`./button.stories-Qw3rTy8u.js`),'
        "__vite__mapDeps([0,1]),import.meta.url),"
        '"./src/card.stories.js":()=>p(()=>import(`./card.stories-Mn4bVc6x.js`),'
        "__vite__mapDeps([2,3,1,4]),import.meta.url),"
        '"./src/intro.mdx":()=>p(()=>import(`./intro-Ui7oPa3s.js`),[],import.meta.url)};'
    ),
    "assets/vendor-Po8iUy6t.js": "vendor",
    "assets/button.stories-Qw3rTy8u.js": 'import"./button-Zx5cVb7n.js";',
    "assets/button-Zx5cVb7n.js": 'new Worker(new URL("./button.worker-Er2tYu8i.js",import.meta.url))',
    "assets/button.worker-Er2tYu8i.js": "sum",
    "assets/card.stories-Mn4bVc6x.js": 'import"./card-D1c2B3a4.js";import"./button-Zx5cVb7n.js";',
    "assets/card-D1c2B3a4.js": 'new URL("./icon-Xy12Za34.svg",import.meta.url)',
    "assets/card-D1c2B3a4.js.map": "map",
    "assets/card-Lk9jHg2f.css": "a{background:url(./dot-Gh5jKl1z.png)}",
    "assets/dot-Gh5jKl1z.png": "dot",
    "assets/icon-Xy12Za34.svg": "icon",
    "assets/intro-Ui7oPa3s.js": "intro",
    # Loaded by a name put together while the browser runs.
    "assets/flag-Nb6vCx4z.svg": "flag",
}
PAGE = """<html><head>
<script type="module" crossorigin src="./assets/iframe-Ab3dEf6h.js"></script>
<link rel="modulepreload" crossorigin href="./assets/vendor-Po8iUy6t.js">
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
    built = root / BUILT
    for name in ("env.js", "mockServiceWorker.js", "locales/en.json", "fonts/a.woff2"):
        write(built / name, f"content of {name}")
    for name, text in BUNDLES.items():
        write(built / name, text)
    write(built / "sb-manager" / "runtime.js", "manager")
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
