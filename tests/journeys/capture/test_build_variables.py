"""Builds of equal sources with other variables, by each bundler."""

import subprocess
from pathlib import Path

import pytest

from tests.support.rebuilt_storybooks import RealProject, copy_bundlers
from visual_review.client.capture import source_hashes
from visual_review.client.capture.sources.built_code import COMMIT

pytestmark = pytest.mark.deep

GREETING = "greeting--english"
SQUARE = "square--plain"
SHADE = "shade--filled"
RELEASE = "release--named"
BUNDLERS = ("webpack", "vite", "rspack")


def commit(project: RealProject, message: str) -> str:
    """Commit the sources, and return the hash of the commit."""
    git = ("git", "-C", str(project.root), "-c", "user.name=A", "-c", "user.email=a@example.com")
    for command in (["init", "-q"], ["add", "src"], ["commit", "-qm", message, "--allow-empty"]):
        subprocess.run([*git, *command], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize("bundler", BUNDLERS)
def test_a_partial_build_notices_variables_but_not_the_commit(tmp_path: Path, bundler: str) -> None:
    project = copy_bundlers(tmp_path / "project")
    # If one variable is not set, webpack writes all others into the code.
    variables = {"BUNDLER": bundler, "STORYBOOK_DARK": "", "STORYBOOK_COMMIT": commit(project, "1")}
    before = project.build(variables).hashes()
    assert before.keys() == {GREETING, SQUARE, SHADE, RELEASE}
    newer = variables | {"STORYBOOK_COMMIT": commit(project, "2")[:8]}
    assert changed(before, project.build(newer).hashes()) == set()
    sources = source_hashes(project.built, project.root).sources
    assert {name for name in sources if COMMIT in sources[name].removed} == {RELEASE}
    assert changed(before, project.build(newer | {"STORYBOOK_DARK": "1"}).hashes()) == {SHADE}
    other = newer | {"STORYBOOK_COMMIT": "release 5"}
    assert changed(before, project.build(other).hashes()) == {RELEASE}


@pytest.mark.parametrize("bundler", BUNDLERS)
def test_a_further_story_leaves_the_others_as_they_were(tmp_path: Path, bundler: str) -> None:
    project = copy_bundlers(tmp_path / "project")
    before = project.build({"BUNDLER": bundler}).hashes()
    project.write("src/new.stories.js", 'export default { title: "New" };\nexport const One = {};')
    project.write("src/size.js", "export const size = 32;")
    after = project.build({"BUNDLER": bundler}).hashes()
    assert changed(before, after) == {SQUARE, RELEASE}
    assert after.keys() - before.keys() == {"new--one"}
