"""CODEOWNERS and the source files of stories, from the top of the git repository."""

import subprocess
from pathlib import Path
from unittest.mock import Mock, create_autospec

import pytest

from tests.support.source_project import write
from visual_review.client.capture import Story
from visual_review.client.progress import Reporter
from visual_review.client.publishing import code_owners
from visual_review.client.publishing.code_owners import group_by_source, read_code_owners


def reporter() -> Mock:
    found: Mock = create_autospec(Reporter, instance=True)
    return found


def story(name: str, path: str) -> Story:
    return Story(id=name, title=name, name=name, import_path=path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    folder = tmp_path / "packages" / "ui"
    folder.mkdir(parents=True)
    return folder


def test_the_file_is_found_where_hosts_look_for_it(project: Path, tmp_path: Path) -> None:
    assert read_code_owners(project, reporter()) == ""
    for name in (".gitlab/CODEOWNERS", "docs/CODEOWNERS", "CODEOWNERS", ".github/CODEOWNERS"):
        write(tmp_path / name, f"* @{name}")
        assert read_code_owners(project, reporter()) == f"* @{name}"


def test_outside_of_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert read_code_owners(tmp_path, reporter()) is None
    assert group_by_source([story("a", "./a.js")], tmp_path) == {"a.js": ["a"]}


def test_a_huge_file_is_not_sent_and_that_is_said(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_owners, "FILE_LENGTH", 10)
    write(tmp_path / "CODEOWNERS", "* @someone-else")
    found = reporter()
    assert read_code_owners(project, found) is None
    assert "is not sent: it has more than 10 characters" in found.note.call_args.args[0]


def test_paths_begin_at_the_top_of_the_repository(project: Path) -> None:
    stories = [
        story("a", "./src/a.stories.ts"),
        story("b", "./src/a.stories.ts"),
        story("c", "../other/c.stories.ts"),
        story("d", "../../../elsewhere/d.stories.ts"),
    ]
    assert group_by_source(stories, project) == {
        "packages/ui/src/a.stories.ts": ["a", "b"],
        "packages/other/c.stories.ts": ["c"],
    }
