"""The stories that count as changed after a change of a file."""

from pathlib import Path

import pytest

from tests.support.source_project import (
    ALL,
    BUILT,
    BUTTON,
    CARD,
    IMPORTS,
    changed_by,
    make_project,
    read_hashes,
    read_reason,
    write,
    write_stats,
)
from visual_review.client.capture.manifest import SOURCE_HASH

STATS = f"{BUILT}/preview-stats.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("src/button.js", ALL),
        ("src/button.stories.js", BUTTON),
        ("src/card.js", CARD),
        ("src/card.css", CARD),
        ("src/card.stories.js", CARD),
        ("src/intro.mdx", set()),
        ("src/diagram.js", set()),
        ("src/unused.js", set()),
        ("src/base.css", ALL),
        (".storybook/preview.js", ALL),
        # Changes of these files show in the built code.
        (".storybook/main.js", set()),
        ("package-lock.json", set()),
        (".env", set()),
        ("README.md", set()),
    ],
)
def test_a_change_of_a_file_changes_the_stories_that_use_it(
    project: Path, name: str, stories: set[str]
) -> None:
    assert changed_by(project, name) == stories


@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("assets/iframe-Ab3dEf6h.js", ALL),
        ("assets/vendor-Po8iUy6t.js", ALL),
        ("assets/button-Zx5cVb7n.js", ALL),
        ("assets/button.stories-Qw3rTy8u.js", BUTTON),
        ("assets/button.worker-Er2tYu8i.js", ALL),
        ("assets/card-D1c2B3a4.js", CARD),
        ("assets/card-Lk9jHg2f.css", CARD),
        ("assets/dot-Gh5jKl1z.png", CARD),
        ("assets/icon-Xy12Za34.svg", CARD),
        ("assets/flag-Nb6vCx4z.svg", ALL),
        ("assets/intro-Ui7oPa3s.js", set()),
        ("assets/card-D1c2B3a4.js.map", set()),
    ],
)
def test_built_code_belongs_to_the_stories_that_load_the_code(
    project: Path, name: str, stories: set[str]
) -> None:
    assert (
        changed_by(project, f"{BUILT}/{name}", text_with(project / BUILT / name, "red")) == stories
    )


def text_with(path: Path, value: str) -> str:
    """Return the text after a build with another value."""
    return f"{path.read_text()}\n{value}"


@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("env.js", ALL),
        ("mockServiceWorker.js", ALL),
        ("locales/en.json", ALL),
        ("fonts/a.woff2", ALL),
        ("theme.css", ALL),
        ("notes.txt", ALL),
        ("cities.map", ALL),
        ("assets/data-A1b2C3d4.json", ALL),
        ("no-extension", ALL),
        ("assets/en-messages.js", ALL),
        ("project.json", set()),
        ("sb-manager/runtime.js", set()),
    ],
)
def test_a_static_file_of_any_extension_belongs_to_every_story(
    project: Path, name: str, stories: set[str]
) -> None:
    assert changed_by(project, f"{BUILT}/{name}") == stories


def test_a_static_file_may_be_named_like_a_bundle(project: Path) -> None:
    write(project / "public" / "vendor-A1b2C3d4.js", "vendor")
    assert changed_by(project, f"{BUILT}/assets/vendor-A1b2C3d4.js") == ALL


def test_names_of_bundles_in_the_page_do_not_matter_but_the_rest_does(project: Path) -> None:
    page = f"{BUILT}/iframe.html"
    text = (project / page).read_text()
    assert changed_by(project, page, text.replace("Ab3dEf6h", "Zy9xWv8u")) == set()
    assert changed_by(project, page, text.replace("harbor", "island")) == ALL


def test_what_the_preview_imports_belongs_to_every_story(project: Path) -> None:
    preview = {"./.storybook/preview.js": ["./src/base.css", "./src/card.js"]}
    write_stats(project, IMPORTS | preview)
    assert changed_by(project, "src/card.css") == ALL


def test_hashes_fit_the_interface(project: Path) -> None:
    assert all(SOURCE_HASH.fullmatch(each) for each in read_hashes(project).values())


def test_the_location_of_the_project_does_not_matter(project: Path, tmp_path: Path) -> None:
    before = read_hashes(project)
    assert read_hashes(project.rename(tmp_path / "moved")) == before


def test_the_place_of_the_packages_does_not_matter(project: Path) -> None:
    found = []
    for place in ("../node_modules", "../packages/node_modules"):
        write(project / place / "button-base" / "index.js", "base")
        used = f"./{place}/button-base/index.js"
        write_stats(project, IMPORTS | {"./src/button.js": [used]})
        found.append(read_hashes(project))
    assert found[0] == found[1]
    assert changed_by(project, "../packages/node_modules/button-base/index.js") == ALL


def test_without_a_stats_file_the_reason_says_how_to_create_it(project: Path) -> None:
    (project / STATS).unlink()
    assert "storybook build --stats-json" in read_reason(project)


def test_an_invalid_stats_file_is_a_reason(project: Path) -> None:
    write(project / STATS, "{")
    assert "is not valid JSON" in read_reason(project)


@pytest.mark.parametrize("content", ["[]", "{}", '{"modules": {}}', '{"modules": [1, {}]}'])
def test_a_stats_file_without_a_story_is_a_reason(project: Path, content: str) -> None:
    write(project / STATS, content)
    assert "does not contain ./src/" in read_reason(project)


def test_stats_that_leave_out_modules_are_a_reason(project: Path) -> None:
    text = (project / STATS).read_text()
    write(project / STATS, text.replace('{"modules"', '{"filteredModules": 3, "modules"', 1))
    assert "leaves out modules" in read_reason(project)


def test_a_module_without_a_file_is_a_reason(project: Path) -> None:
    (project / "src" / "card.css").unlink()
    assert read_reason(project).startswith("The module ./src/card.css has no file")
