"""Whatever ends the command early, running it again ends the same build."""

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.publish.ci_job import SECONDS, CiJob, paint, storybook


def spool_folders(folder: Path) -> list[Path]:
    return list(folder.glob("visual-review-*"))


def wait_for(folder: Path) -> None:
    """Until the command has begun to put images away."""
    deadline = time.monotonic() + SECONDS
    while not any(spool.iterdir() for spool in spool_folders(folder)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def heard() -> Iterator[None]:
    """SIGINT reaches what is started here, also when a shell runs the tests in its background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cancelling_leaves_nothing_and_names_the_nonce(
    number: signal.Signals, job: CiJob, tmp_path: Path
) -> None:
    folder = storybook(tmp_path / "storybook")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        job.command(folder, "--nonce", "run-7", "--workers", "1"),
        env=job.environment({"TMPDIR": str(temporary)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        wait_for(temporary)
        process.send_signal(number)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, output
    assert "--nonce run-7" in output
    assert spool_folders(temporary) == []
    assert job.builds() == []


def test_a_killed_upload_is_continued_by_the_same_nonce(job: CiJob, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    for number in range(300):
        paint(folder, f"story--n{number}--light-desktop", number % 250, (200, 200 + number))
    with subprocess.Popen(
        job.command(folder, "--nonce", "run-1"),
        env=job.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Uploading images: 60 of"):
                process.kill()
                break
    again = job.told(folder, "--nonce", "run-1")
    assert again["verdict"] == "review_needed"
    assert again["build"]["counts"]["new"] == 300
    assert [build["number"] for build in job.builds()] == [again["build"]["number"]]


def test_a_finished_run_is_not_sent_again(job: CiJob, images: Path) -> None:
    first = job.told(images, "--nonce", "run-1")
    second = job.publish(images, "--nonce", "run-1")
    assert second.returncode == 1
    assert "published before" in second.stdout
    assert [build["id"] for build in job.builds()] == [first["build"]["id"]]


def test_a_terminal_gets_a_bar(job: CiJob, images: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        job.command(images),
        env=job.environment({"TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 1
    assert b"\x1b[" in shown
    assert "3/3" in shown.decode()


def test_the_temporary_folder_is_left_clean(
    job: CiJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert job.publish(storybook(tmp_path / "storybook")).returncode == 1
    assert spool_folders(temporary) == []
