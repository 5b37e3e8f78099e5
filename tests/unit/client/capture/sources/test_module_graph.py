"""Module graphs of bundlers."""

import pytest

from visual_review.client.capture.sources.hashes import ModuleGraph, normalize_name


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
