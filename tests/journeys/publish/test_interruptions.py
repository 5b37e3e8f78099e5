"""After any interruption, running the command again completes the same build."""

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ci.job import SECONDS, CiJob, paint, storybook

# Enough that most are still being uploaded when the first fifth has arrived.
IMAGES = 120


def spool_folders(folder: Path) -> list[Path]:
    return list(folder.glob("visual-review-*"))


def wait_for_captures(folder: Path) -> None:
    """Wait until the command has stored the first images."""
    deadline = time.monotonic() + SECONDS
    while not any(spool.iterdir() for spool in spool_folders(folder)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def sigint_delivered() -> Iterator[None]:
    """Deliver SIGINT to child processes, even if a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint_delivered")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_canceling_leaves_nothing_and_prints_the_nonce(
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
        wait_for_captures(temporary)
        process.send_signal(number)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, output
    assert "--nonce run-7" in output
    assert spool_folders(temporary) == []
    assert job.builds() == []


def test_a_killed_upload_is_continued_by_the_same_nonce(job: CiJob, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    for number in range(IMAGES):
        paint(folder, f"story--n{number}--light-desktop", number, (41, 30 + number))
    with subprocess.Popen(
        job.command(folder, "--nonce", "run-1"),
        env=job.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(f"Uploading images: {IMAGES // 5} of"):
                process.kill()
                break
    assert process.returncode == -signal.SIGKILL
    again = job.publish_json(folder, "--nonce", "run-1")
    assert again["verdict"] == "review_needed"
    assert again["build"]["counts"]["new"] == IMAGES
    assert [build["number"] for build in job.builds()] == [again["build"]["number"]]


@pytest.mark.deep
def test_a_killed_capture_is_continued_with_the_images_of_the_second(
    job: CiJob, tmp_path: Path
) -> None:
    folder = storybook(tmp_path / "storybook")
    with subprocess.Popen(
        job.command(folder, "--nonce", "run-1", "--workers", "1"),
        env=job.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Capturing screenshots: 22 of"):
                process.kill()
                break
    # By now the server has images of the first attempt.
    script = folder / "preview.js"
    script.write_text(script.read_text().replace('paint("calm")', 'paint("different")'))
    again = job.publish_json(folder, "--nonce", "run-1")
    assert again["build"]["counts"]["new"] == 18, again
    fresh = job.publish_json(folder, "--nonce", "run-2")
    assert again["build"]["toReview"][0]["storyId"] == fresh["build"]["toReview"][0]["storyId"]
    assert [build["number"] for build in job.builds()] == [2, 1]


def test_a_finished_run_is_not_uploaded_again(job: CiJob, images: Path) -> None:
    first = job.publish_json(images, "--nonce", "run-1")
    second = job.publish(images, "--nonce", "run-1")
    assert second.returncode == 1
    assert "published before" in second.stdout
    assert [build["id"] for build in job.builds()] == [first["build"]["id"]]


def test_a_terminal_shows_a_progress_bar(job: CiJob, images: Path) -> None:
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
