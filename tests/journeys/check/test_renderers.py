"""Another renderer than the baseline's: the base is captured here, too, or nothing is compared."""

import json
from pathlib import Path

import pytest

from tests.journeys.check.conftest import CheckedProject, git
from tests.support.source_project import write
from visual_review.client.capture.chromium import find_chromium


@pytest.fixture
def other_browser(tmp_path: Path) -> Path:
    """A browser that claims a newer version."""
    path = tmp_path / "chromium"
    write(
        path,
        "#!/bin/sh\n"
        '[ "$1" = --version ] && exec echo Chromium 999.0.1.2\n'
        f'exec {find_chromium(None)} "$@"\n',
    )
    path.chmod(0o755)
    return path


def builds(project: CheckedProject) -> int:
    log = project.root.parent / "builds.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_without_a_build_command_both_renderers_are_named(
    project: CheckedProject, other_browser: Path
) -> None:
    project.paint("red")
    done = project.check("--chromium", str(other_browser))
    assert done.returncode == 2
    assert "the browser changed from " in done.stderr
    assert " to 999.0.1.2" in done.stderr
    assert "the one here is 4:999.0.1.2:" in done.stderr
    assert "[check] build" in done.stderr
    assert done.stdout == ""


def test_unchanged_stories_need_no_other_capture(
    project: CheckedProject, other_browser: Path
) -> None:
    done = project.check("--chromium", str(other_browser))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Nothing changed: ")


def test_the_base_is_built_once_and_captured_with_the_same_renderer(
    project: CheckedProject, other_browser: Path
) -> None:
    # An absolute path, since the command runs in a folder deleted afterwards.
    log = project.root.parent / "builds.log"
    command = f"cp -R built storybook-static && echo built >> {log}"
    flags = ("--chromium", str(other_browser), "--build", command)
    project.paint("red")
    project.commit("Paint it red")
    for _ in range(2):
        done = project.check(*flags)
        assert done.returncode == 1, done.stderr
        assert "2 changed in 2 stories" in done.stdout
        assert "The baseline was rendered by something else (the browser changed" in done.stderr
    assert builds(project) == 1
    assert git(project.root, "worktree", "list").count("\n") == 0
    assert git(project.root, "status", "--porcelain") == ""


def test_a_source_that_changes_no_pixel_is_no_change_with_any_renderer(
    project: CheckedProject, other_browser: Path
) -> None:
    write(project.root / "src" / "second.js", "something else")
    flags = ("--chromium", str(other_browser), "--build", "cp -R built storybook-static")
    done = project.check(*flags)
    assert done.returncode == 0, done.stderr
    assert "1 of them not captured" in done.stdout


def test_a_story_that_the_base_commit_lacks_is_compared_with_no_other_renderer(
    project: CheckedProject, other_browser: Path
) -> None:
    index = json.loads((project.root / "built" / "index.json").read_text())
    del index["entries"]["calm--second"]
    without = project.root.parent / "index.json"
    without.write_text(json.dumps(index))
    command = f"cp -R built storybook-static && cp {without} storybook-static/index.json"
    project.paint("red")
    done = project.check("--chromium", str(other_browser), "--build", command)
    assert done.returncode == 1, done.stderr
    assert "1 changed, 1 new in 2 stories" in done.stdout
    assert "Not in the base commit, so new here: calm--second." in done.stderr


def test_a_build_command_that_fails_is_quoted(project: CheckedProject, other_browser: Path) -> None:
    project.paint("red")
    flags = ("--chromium", str(other_browser), "--build")
    done = project.check(*flags, "echo no such script; exit 3")
    assert done.returncode == 2
    assert "failed at the base commit with exit code 3" in done.stderr
    assert "no such script" in done.stderr
    done = project.check(*flags, "true")
    assert done.returncode == 2
    assert "has built no Storybook in storybook-static at the base commit" in done.stderr
    assert git(project.root, "worktree", "list").count("\n") == 0


def test_the_configuration_says_how_to_build(project: CheckedProject, other_browser: Path) -> None:
    write(
        project.root / "visual-review.toml",
        f'[check]\nbuild = "cp -R built storybook-static"\nrepository = "{project.job.name}"\n',
    )
    project.paint("red")
    done = project.check("--chromium", str(other_browser))
    assert done.returncode == 1, done.stderr
