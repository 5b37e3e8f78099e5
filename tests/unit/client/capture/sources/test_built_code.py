"""Changes of a story's built code that count, and changes made by every build."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.source_project import (
    ALL,
    BUILT,
    BUNDLES,
    BUTTON,
    CARD,
    changed_by,
    make_project,
    read_hashes,
    write,
)
from visual_review.client.capture import source_hashes
from visual_review.client.capture.sources.built_code import COMMIT

ENTRY = f"{BUILT}/assets/iframe-Ab3dEf6h.js"
BUTTON_STORIES = f"{BUILT}/assets/button.stories-Qw3rTy8u.js"
PUSH = "(self.chunks=self.chunks||[]).push([["
WEBPACK = {
    "main.1a2b3c4d.iframe.bundle.js": (
        'const map={"./button.stories":["./src/button.stories.js",[274]],'
        '"./card.stories":["./src/card.stories.js",[274,450]]};'
    ),
    "runtime~main.2b3c4d5e.iframe.bundle.js": (
        'r.u=c=>274===c?"button-stories.3c4d5e6f.iframe.bundle.js":void 0;r.p="";'
    ),
    "button-stories.3c4d5e6f.iframe.bundle.js": (
        PUSH
        + '274],{"./src/button.stories.js"(r){r("../../node_modules/react/index.js");r.e(99)}}]);'
    ),
    "button-stories.6f7a8b9c.css": "button",
    "card-stories.4d5e6f7a.iframe.bundle.js": PUSH + '"450"],{}]);',
    "99.8b9c0d1e.iframe.bundle.js": PUSH + "99],{}]);",
    "flag.9c0d1e2f.iframe.bundle.js": PUSH + "7],{}]);",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def webpack(project: Path) -> Path:
    """Return the project as built by webpack."""
    for name in BUNDLES:
        (project / BUILT / name).unlink()
    for name, text in WEBPACK.items():
        write(project / BUILT / name, text)
    write(project / BUILT / "iframe.html", '<script src="main.1a2b3c4d.iframe.bundle.js"></script>')
    path = project / BUILT / "preview-stats.json"
    stats = json.loads(path.read_text())
    stats["assets"] = [{"name": name, "info": {"contenthash": "x"}} for name in WEBPACK]
    path.write_text(json.dumps(stats))
    return project


def text_with(path: Path) -> str:
    """Return the text after a build with another value; the file may be new."""
    return f"{path.read_text() if path.exists() else ''}\nred"


def rename(project: Path, old: str, new: str) -> None:
    """Give a file another hash in its name, wherever the name stands."""
    for path in (project / BUILT).rglob("*.*"):
        if path.suffix in {".js", ".html", ".css"}:
            path.write_text(path.read_text().replace(old, new))
        if old in path.name:
            path.rename(path.with_name(path.name.replace(old, new)))


def test_hashes_in_names_are_no_change(project: Path) -> None:
    before = read_hashes(project)
    rename(project, "button-Zx5cVb7n", "button-Aa1bBc2d")
    rename(project, "dot-Gh5jKl1z", "dot-Dd3eEe4f")
    assert read_hashes(project) == before


def test_a_further_story_is_no_change_of_the_others(project: Path) -> None:
    before = read_hashes(project)
    entry = BUNDLES["assets/iframe-Ab3dEf6h.js"]
    more = entry.replace('["./button', '["./added.stories-Tt5yYu6i.js","./button').replace(
        "([0,1])", "([1,2])"
    )
    more = more.replace("([2,3,1,4])", "([3,4,2,5])").replace(
        '"./src/card.stories.js":',
        '"./src/added.stories.js":()=>p(()=>import(`./added.stories-Tt5yYu6i.js`),'
        '__vite__mapDeps([0]),import.meta.url),"./src/card.stories.js":',
    )
    write(project / BUILT / "assets" / "added.stories-Tt5yYu6i.js", "added")
    index = project / BUILT / "index.json"
    entries = json.loads(index.read_text())
    story = {**entries["entries"]["card--a"], "id": "added--a"}
    entries["entries"]["added--a"] = {**story, "importPath": "./src/added.stories.js"}
    index.write_text(json.dumps(entries))
    stats = project / BUILT / "preview-stats.json"
    modules = json.loads(stats.read_text())
    modules["modules"].append({"name": "./src/added.stories.js", "reasons": []})
    stats.write_text(json.dumps(modules))
    write(project / "src" / "added.stories.js", "added")
    write(project / ENTRY, more)
    after = read_hashes(project)
    assert {name: after[name] for name in before} == before


def test_other_names_of_locals_next_to_the_list_of_stories_are_no_change(project: Path) -> None:
    text = (project / ENTRY).read_text()
    write(project / ENTRY, f'{text}let e=t(),n=e;f("n",e.t)')
    assert changed_by(project, ENTRY, f'{text}let n=r(),i=n;f("n",n.t)') == set()
    for other in ('let n=r(),i=r;f("n",n.t)', 'let n=r(),i=n;f("i",n.t)'):
        assert changed_by(project, ENTRY, f"{text}{other}") == ALL
        write(project / ENTRY, f'{text}let e=t(),n=e;f("n",e.t)')


@pytest.mark.parametrize("text", ['"%s"', '"the %s of"', '"%s-US"', "'%s'"])
def test_a_short_text_is_a_change_even_after_a_regular_expression_with_a_quote(
    project: Path, text: str
) -> None:
    entry = (project / ENTRY).read_text()
    write(project / ENTRY, f'{entry}/"/.test({text % "en"})')
    assert changed_by(project, ENTRY, f'{entry}/"/.test({text % "de"})') == ALL


def test_a_story_file_without_known_code_has_all_code(project: Path) -> None:
    text = (project / ENTRY).read_text()
    write(project / ENTRY, text.replace("import(`./card.stories", "load(`./card.stories"))
    assert changed_by(project, BUTTON_STORIES, "red") == ALL


@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("main.1a2b3c4d.iframe.bundle.js", ALL),
        ("button-stories.3c4d5e6f.iframe.bundle.js", ALL),
        ("button-stories.6f7a8b9c.css", ALL),
        ("card-stories.4d5e6f7a.iframe.bundle.js", CARD),
        ("99.8b9c0d1e.iframe.bundle.js", ALL),
        ("flag.9c0d1e2f.iframe.bundle.js", ALL),
    ],
)
def test_chunks_of_webpack_belong_to_the_stories_that_load_the_chunks(
    webpack: Path, name: str, stories: set[str]
) -> None:
    assert changed_by(webpack, f"{BUILT}/{name}", text_with(webpack / BUILT / name)) == stories


@pytest.mark.parametrize(
    ("name", "text", "stories"),
    [
        (
            "main.1a2b3c4d",
            (
                'const map={"./card.stories":["./src/card.stories.js",[274,450]],'
                '"./button.stories":["./src/button.stories.js",[8,274]]};'
            ),
            set(),
        ),
        ("runtime~main.2b3c4d5e", 'r.u=c=>9===c?"other.iframe.bundle.js":0;r.p="";', set()),
        ("runtime~main.2b3c4d5e", 'r.p="/other/";', ALL),
        ("card-stories.4d5e6f7a", PUSH + '"450"],{r("../node_modules/react/index.js")}]);', set()),
    ],
)
def test_what_webpack_numbers_and_where_packages_lie_is_no_change(
    webpack: Path, name: str, text: str, stories: set[str]
) -> None:
    path = f"{BUILT}/{name}.iframe.bundle.js"
    if name == "card-stories.4d5e6f7a":
        write(webpack / path, PUSH + '"450"],{r("../../node_modules/react/index.js")}]);')
    assert changed_by(webpack, path, text) == stories


def commit(project: Path, message: str) -> str:
    """Commit everything, and return the hash of the commit."""
    git = ("git", "-C", str(project), "-c", "user.name=A", "-c", "user.email=a@example.com")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", message, "--allow-empty"]):
        subprocess.run([*git, *command], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize("length", [40, 12, 7])
def test_the_hash_of_the_commit_is_no_change_and_is_named(project: Path, length: int) -> None:
    before: dict[str, str] = {}
    for message in ("one", "two"):
        value = commit(project, message)[:length]
        write(project / BUTTON_STORIES, f'const commit="{value}";')
        found = source_hashes(project / BUILT, project)
        assert found.hashes == (before or found.hashes)
        before = dict(found.hashes or {})
        assert found.sources["button--a"].removed == {COMMIT}
        assert found.sources["card--a"].removed == set()


def test_the_hash_of_the_commit_in_the_page_is_no_change_and_is_named(project: Path) -> None:
    page = project / BUILT / "iframe.html"
    text = page.read_text()
    hashes = []
    for message in ("one", "two"):
        page.write_text(f'{text}<script>window.commit = "{commit(project, message)}"</script>')
        found = source_hashes(project / BUILT, project)
        assert {each for story in found.sources.values() for each in story.removed} == {COMMIT}
        hashes.append(found.hashes)
    assert hashes[0] == hashes[1]


def test_the_hash_of_another_commit_is_a_change(project: Path) -> None:
    first = commit(project, "one")
    commit(project, "two")
    commit(project, "three")
    assert changed_by(project, BUTTON_STORIES, f'const commit="{first}";') == BUTTON


def test_a_commit_that_ci_names_is_no_change(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / BUTTON_STORIES, 'const commit="";')
    monkeypatch.setenv("CI_HEAD", "0123456789abcdef" * 2 + "01234567")
    assert changed_by(project, BUTTON_STORIES, 'const commit="0123456";') == set()
    assert changed_by(project, BUTTON_STORIES, 'const commit="0123456x";') == BUTTON
