"""Snapshot folders are published only if they show what the last run of their tests rendered."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.client.image_names import Naming
from visual_review.client.publishing.image_folder import map_folder
from visual_review.client.publishing.run_results import require_current
from visual_review.client.transport.errors import InputError

HOME = "tests/home.spec.ts-snapshots/home-chromium-linux.png"
BEFORE, AFTER = 1_000_000, 2_000_000


def write(path: Path, text: str = "", time: float = BEFORE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time, time))
    return path


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    write(tmp_path / HOME)
    return tmp_path


def notes(project: Path) -> list[str]:
    folder = project / "tests"
    return require_current(folder, map_folder(folder, Naming()))


def refusal(project: Path) -> str:
    with pytest.raises(InputError) as caught:
        notes(project)
    return str(caught.value)


def leave_run(project: Path, status: str, failed: int = 0, time: float = AFTER) -> None:
    left = {"status": status, "failedTests": [f"test-{number}" for number in range(failed)]}
    write(project / "test-results/.last-run.json", json.dumps(left), time)


def test_after_a_failed_run_nothing_is_published(project: Path) -> None:
    leave_run(project, "failed", failed=20)
    reason = refusal(project)
    assert "status 'failed', with 20 tests failed" in reason
    assert "--update-snapshots" in reason
    leave_run(project, "interrupted")
    assert "interrupted" in refusal(project)


def test_after_a_passed_run_the_expectations_are_what_was_rendered(project: Path) -> None:
    git(project, "add", ".")
    git(project, "commit", "-m", "One")
    leave_run(project, "passed")
    (note,) = notes(project)
    assert "expectations of a passed run" in note
    # A run before the images were written says nothing about them.
    leave_run(project, "passed", time=BEFORE - 1)
    assert "Nothing shows that tests rendered" in refusal(project)


def test_images_that_were_written_after_a_failed_run_are_fresh(project: Path) -> None:
    leave_run(project, "failed", failed=1, time=BEFORE - 1)
    assert notes(project) == []


def test_committed_images_without_a_run_are_refused_until_one_changes(project: Path) -> None:
    assert notes(project) == []
    git(project, "add", ".")
    git(project, "commit", "-m", "One")
    assert "Nothing shows that tests rendered the 1 images" in refusal(project)
    write(project / HOME, "changed")
    assert notes(project) == []


def test_what_other_tools_leave_after_a_failed_run_is_found(tmp_path: Path, case: Case) -> None:
    for number, (image, left) in enumerate(
        (
            (
                "src/__screenshots__/button.test.ts/primary-chromium-linux.png",
                ".vitest-attachments/b/primary-actual-chromium-linux.png",
            ),
            (
                "src/__image_snapshots__/home-1-snap.png",
                "src/__image_snapshots__/__diff_output__/home-1-diff.png",
            ),
            (
                "src/__image_snapshots__/home-1-snap.png",
                "src/__image_snapshots__/__received_output__/home-1-received.png",
            ),
        )
    ):
        with case(left):
            project = tmp_path / str(number)
            write(project / image)
            folder = project / "src"
            write(project / left, time=AFTER)
            with pytest.raises(InputError, match=r"The last .*run failed and left"):
                require_current(folder, map_folder(folder, Naming()))


def test_what_tools_captured_themselves_is_never_refused(tmp_path: Path) -> None:
    write(tmp_path / "__screenshots__/Components/Button.png")
    leave_run(tmp_path, "failed", failed=1)
    assert require_current(tmp_path, map_folder(tmp_path, Naming())) == []


def test_an_unreadable_result_is_no_result(project: Path) -> None:
    for text in ("", "[]", "{", '{"tests": 1}'):
        write(project / "test-results/.last-run.json", text, AFTER)
        assert notes(project) == []
