"""When git has seen the files of a story change."""

import subprocess
from pathlib import Path

from tests.support.source_project import write
from visual_review.client.publishing.story_explanation import UNCOMMITTED, read_recent_changes


def run_git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Alice", "-c", "user.email=alice@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_files_come_with_their_last_change_the_latest_first(tmp_path: Path) -> None:
    for name in ("project/a.js", "project/å.js", "b.js"):
        write(tmp_path / name, name)
    run_git(tmp_path, "init", "--quiet")
    run_git(tmp_path, "add", ".")
    run_git(tmp_path, "commit", "--message", "Add files")
    write(tmp_path / "b.js", "changed")
    run_git(tmp_path, "commit", "--all", "--message", "Change b")
    write(tmp_path / "project" / "a.js", "changed")
    names = ["./å.js", "./../b.js", "./a.js", "./unknown.js"]
    found = read_recent_changes(tmp_path / "project", names)
    assert list(found) == ["./a.js", "./../b.js", "./å.js"]
    assert found["./a.js"] == UNCOMMITTED
    assert found["./../b.js"].endswith(": Change b")


def test_without_git_nothing_is_known(tmp_path: Path) -> None:
    assert read_recent_changes(tmp_path, ["./a.js"]) == {}
