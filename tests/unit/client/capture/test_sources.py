"""Hashes of the sources of stories."""

import json
from pathlib import Path
from typing import Any

import pytest

from visual_review.client.capture import source_hashes
from visual_review.client.capture.module_graph import ModuleGraph, normalize_name

Imports = dict[str, list[str]]

# What the list of stories imports, then button and card with a style that only card uses.
IMPORTS: Imports = {
    "/virtual:/vite-app.js": ["./.storybook/preview.js", "/virtual:/stories.js"],
    "/virtual:/stories.js": ["./src/button.stories.js", "./src/card.stories.js", "./src/intro.mdx"],
    "./.storybook/preview.js": ["./src/base.css"],
    "./src/button.stories.js": ["./src/button.js"],
    "./src/card.stories.js": ["./src/card.js", "./src/button.js"],
    "./src/card.js": ["./src/card.css?inline", "./src/card.js"],
    "./src/intro.mdx": ["./src/button.stories.js", "./src/diagram.js"],
}
FILES = (
    ".storybook/main.js",
    ".storybook/preview.js",
    "package.json",
    "src/base.css",
    "src/button.js",
    "src/button.stories.js",
    "src/card.css",
    "src/card.js",
    "src/card.stories.js",
    "src/diagram.js",
    "src/included.scss",
    "src/intro.mdx",
)
ENTRIES = {
    "button--a": ("story", "./src/button.stories.js"),
    "button--b": ("story", "./src/button.stories.js"),
    "card--a": ("story", "./src/card.stories.js"),
    "intro--docs": ("docs", "./src/intro.mdx"),
}


def stats(imports: Imports) -> dict[str, Any]:
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"content of {name}")
    built = tmp_path / "storybook-static"
    built.mkdir()
    (built / "iframe.html").write_text("")
    (built / "logo.png").write_bytes(b"logo")
    (built / "main-1a2b3c4d.css").write_text("bundled")
    entries = {
        name: {"type": kind, "id": name, "title": "T", "name": "N", "importPath": path}
        for name, (kind, path) in ENTRIES.items()
    }
    (built / "index.json").write_text(json.dumps({"v": 5, "entries": entries}))
    (built / "preview-stats.json").write_text(json.dumps(stats(IMPORTS)))
    return tmp_path


def hashes(project: Path) -> dict[str, str]:
    found, reason = source_hashes(project / "storybook-static", project)
    assert reason is None
    assert found is not None
    return found


def reason(project: Path) -> str:
    found, reason = source_hashes(project / "storybook-static", project)
    assert found is None
    return reason or ""


def changed(project: Path, name: str) -> set[str]:
    """Return the stories whose hash changes when the file ``name`` is written."""
    before = hashes(project)
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("something else")
    after = hashes(project)
    return {story for story in before if before[story] != after[story]}


ALL = {"button--a", "button--b", "card--a"}


@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("src/button.js", ALL),
        ("src/button.stories.js", {"button--a", "button--b"}),
        ("src/card.js", {"card--a"}),
        ("src/card.css", {"card--a"}),
        ("src/card.stories.js", {"card--a"}),
        ("src/intro.mdx", set()),
        ("src/diagram.js", set()),
        ("src/base.css", ALL),
        ("src/included.scss", ALL),
        (".storybook/preview.js", ALL),
        (".storybook/main.js", ALL),
        (".storybook/preview-head.html", ALL),
        ("package.json", ALL),
        (".env", ALL),
        ("README.md", set()),
        ("storybook-static/logo.png", ALL),
        ("storybook-static/main-1a2b3c4d.css", set()),
    ],
)
def test_a_change_of_a_file_changes_the_stories_that_use_it(
    project: Path, name: str, stories: set[str]
) -> None:
    assert changed(project, name) == stories


def test_what_the_preview_imports_belongs_to_every_story(project: Path) -> None:
    imports = IMPORTS | {"./.storybook/preview.js": ["./src/base.css", "./src/card.js"]}
    (project / "storybook-static" / "preview-stats.json").write_text(json.dumps(stats(imports)))
    assert changed(project, "src/card.css") == ALL


def test_the_location_of_the_project_does_not_matter(project: Path, tmp_path: Path) -> None:
    before = hashes(project)
    moved = project.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    assert hashes(moved) == before


def test_without_a_stats_file_the_reason_says_how_to_create_it(project: Path) -> None:
    (project / "storybook-static" / "preview-stats.json").unlink()
    assert "storybook build --stats-json" in reason(project)


def test_an_invalid_stats_file_is_a_reason(project: Path) -> None:
    (project / "storybook-static" / "preview-stats.json").write_text("{")
    assert "is not valid JSON" in reason(project)


@pytest.mark.parametrize("content", ["[]", "{}", '{"modules": {}}', '{"modules": [1, {}]}'])
def test_a_stats_file_without_a_story_is_a_reason(project: Path, content: str) -> None:
    (project / "storybook-static" / "preview-stats.json").write_text(content)
    assert "does not contain ./src/" in reason(project)


def test_a_module_without_a_file_is_a_reason(project: Path) -> None:
    (project / "src" / "card.css").unlink()
    assert reason(project).startswith("The module ./src/card.css has no file")


def test_a_project_without_configuration_is_a_reason(project: Path) -> None:
    imports = {
        name: [path for path in paths if ".storybook" not in path]
        for name, paths in IMPORTS.items()
        if ".storybook" not in name
    }
    (project / "storybook-static" / "preview-stats.json").write_text(json.dumps(stats(imports)))
    for path in (project / ".storybook").iterdir():
        path.unlink()
    (project / ".storybook").rmdir()
    assert "configuration was not found" in reason(project)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("./src/a.vue?vue&type=style&index=0", "./src/a.vue"),
        ("./node_modules/css-loader/cjs.js!./src/a.css", "./src/a.css"),
        ("./src/a.js + 12 modules", "./src/a.js"),
        ("./src/a.js + 1 module", "./src/a.js"),
    ],
)
def test_module_names_of_bundlers_are_normalized_to_files(name: str, expected: str) -> None:
    assert normalize_name(name) == expected


def test_modules_that_webpack_concatenated_are_dependencies() -> None:
    concatenated = {
        "name": "./src/card.js + 1 modules",
        "reasons": [{"moduleName": "./src/card.stories.js"}],
        "modules": [{"name": "./src/card.js"}, {"name": "./src/inner.js", "reasons": []}],
    }
    graph = ModuleGraph.from_stats({"modules": [concatenated]})
    assert graph.dependencies("./src/card.stories.js") == {
        "./src/card.stories.js",
        "./src/card.js",
        "./src/inner.js",
    }
