"""Videos of a test run, uploaded by the real command to the real server."""

import json
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from scripts.demo_server import PROGRAM

from tests.support.ci.job import COMMIT, SECONDS, CiJob, CommandResult, run
from tests.support.ci.reports import attachment, playwright, result, spec
from tests.support.videos import playwright_video
from visual_review.client.ci import CiFacts
from visual_review.client.recordings.found_videos import Video
from visual_review.client.recordings.report_formats import find_videos
from visual_review.client.recordings.upload import RecordingService
from visual_review.client.recordings.upload_files import Origin, make_announcement
from visual_review.client.transport.connection import FilePart

WHERE = ("--branch", "main", "--commit", COMMIT)
PART = 8 * 1024 * 1024


@pytest.fixture
def enabled_job(job: CiJob) -> CiJob:
    job.server.act("enable_recordings", repoId=job.repository)
    return job


@pytest.fixture(scope="module")
def film() -> bytes:
    return playwright_video()


def padded(film: bytes, size: int) -> bytes:
    """Enlarge the film with an element at the end that players skip (Void, of EBML)."""
    padding = size - len(film) - 9
    return film + b"\xec\x01" + padding.to_bytes(7, "big") + bytes(padding)


def results(folder: Path, film: bytes, *titles: str) -> Path:
    """Write a folder like Playwright, with every video in the report."""
    specs = []
    for number, title in enumerate(titles):
        test_folder = folder / title.replace(" ", "-")
        test_folder.mkdir(parents=True)
        # Different bytes for each test, as in reality.
        (test_folder / "video.webm").write_bytes(padded(film, len(film) + 100 + number))
        (test_folder / "trace.zip").write_bytes(b"PK" + bytes([number]))
        trace = attachment(test_folder / "trace.zip", "trace", "application/zip")
        steps = [{"title": "Open iframe.html?id=button--primary", "duration": 400}]
        attempt = result(attachments=[attachment(test_folder / "video.webm"), trace], steps=steps)
        specs.append(spec(title, attempt))
    return playwright(folder, *specs)


def arguments(folder: Path, *flags: str) -> list[str]:
    return ["recordings", str(folder), *WHERE, *flags]


def upload(job: CiJob, folder: Path, *flags: str) -> CommandResult:
    return run(arguments(folder, *flags), job.environment())


def upload_json(job: CiJob, folder: Path, *flags: str) -> dict[str, Any]:
    done = upload(job, folder, "--json", *flags)
    document: dict[str, Any] = json.loads(done.stdout)
    return document | {"code": done.returncode}


def list_recordings(job: CiJob) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = job.server.act("list_recordings", repoId=job.repository)[
        "recordings"
    ]
    return found


def test_a_run_is_uploaded_with_its_tests_steps_and_traces(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    report = results(tmp_path / "r", film, "signs in", "signs out")
    done = upload(enabled_job, tmp_path / "r", "--report", str(report), "--wait", "--timeout", "90")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Recordings: 2 uploaded." in done.stdout
    newest = list_recordings(enabled_job)
    assert {each["status"] for each in newest} == {"ready"}
    full = enabled_job.server.act("get_recording", recordingId=newest[0]["id"])["recording"]
    assert f"/recordings/{newest[0]['id']}" in done.stdout
    assert full["test"]["file"] == "login.spec.ts"
    assert full["test"]["suite"] == "Sign in"
    assert [step["storyId"] for step in full["steps"]] == ["button--primary"]


def test_while_disabled_the_command_prints_the_servers_message(
    job: CiJob, tmp_path: Path, film: bytes
) -> None:
    results(tmp_path / "r", film, "signs in")
    done = upload(job, tmp_path / "r")
    assert done.returncode == 2
    assert (
        "Recordings are disabled for this repository; CI uploads are rejected until an admin "
        "enables them." in done.stdout
    )


def test_nothing_to_upload_is_not_an_error(job: CiJob, tmp_path: Path, film: bytes) -> None:
    (tmp_path / "empty").mkdir()
    done = upload(job, tmp_path / "empty")
    assert (done.returncode, done.stdout[:17]) == (0, "Nothing to upload")
    results(tmp_path / "r", film, "signs in")
    assert upload_json(job, tmp_path / "r", "--only-failed") == {
        "verdict": "nothing_to_upload",
        "recordings": [],
        "code": 0,
    }


def test_a_dry_run_needs_neither_server_nor_token(tmp_path: Path, film: bytes) -> None:
    results(tmp_path / "r", film, "signs in")
    done = run(arguments(tmp_path / "r", "--dry-run"), {})
    assert done.returncode == 0
    assert "signs in (chromium, passed)" in done.stdout


def test_a_missing_folder_report_or_token_is_named(job: CiJob, tmp_path: Path, film: bytes) -> None:
    assert "There is no folder" in upload(job, tmp_path / "gone").stderr
    results(tmp_path / "r", film, "signs in")
    done = upload(job, tmp_path / "r", "--report", str(tmp_path / "gone.json"))
    assert (done.returncode, "gone.json cannot be read" in done.stderr) == (2, True)
    done = run(arguments(tmp_path / "r"), {"VISUAL_REVIEW_URL": job.server.url})
    assert (done.returncode, "UI_REVIEW_TOKEN" in done.stderr) == (2, True)


def test_one_bad_video_does_not_stop_the_others(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    (folder / "bad.webm").write_bytes(b"no video at all")
    (folder / "good.webm").write_bytes(film)
    (folder / "odd.avi").write_bytes(film)
    document = upload_json(enabled_job, folder, "--wait", "--timeout", "90")
    found = {Path(each["file"]).name: each for each in document["recordings"]}
    assert (document["code"], document["verdict"]) == (2, "failed")
    assert found["good.webm"]["status"] == "ready"
    assert found["bad.webm"]["status"] == "failed"
    assert found["bad.webm"]["error"]
    assert found["odd.avi"]["id"] is None
    assert "odd.avi" in found["odd.avi"]["error"]


def test_only_missing_parts_are_uploaded_again(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    (folder / "long.webm").write_bytes(padded(film, 2 * PART + 1000))
    [video] = find_videos(folder, []).videos
    with RecordingService(
        enabled_job.server.url, enabled_job.token, on_retry=lambda *_: None
    ) as service:
        body = make_announcement(video, Origin(CiFacts("git", "main", COMMIT), "default")).body
        first = service.announce(body)
        assert [part.size for part in first.parts] == [PART, PART, 1000]
        # Like a command killed after its second part.
        for part in first.parts[:2]:
            service.put(part.url, FilePart(video.path, "video/webm", part.offset, part.size), "it")
        assert [part.size for part in service.announce(body).parts] == [1000]
    document = upload_json(enabled_job, folder, "--wait", "--timeout", "90")
    [sent] = document["recordings"]
    assert (sent["id"], sent["status"]) == (first.state.id, "ready")
    [again] = upload_json(enabled_job, folder)["recordings"]
    assert (again["id"], again["knownBefore"]) == (sent["id"], True)
    assert len(list_recordings(enabled_job)) == 1


def test_a_killed_upload_is_completed_by_the_same_command(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    titles = [f"test {number}" for number in range(20)]
    results(tmp_path / "r", film, *titles)
    with subprocess.Popen(
        [str(PROGRAM), *arguments(tmp_path / "r")],
        env=enabled_job.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("Uploading recordings: 2 of"):
                    break
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    document = upload_json(enabled_job, tmp_path / "r")
    assert document["verdict"] == "uploaded"
    ids = {each["id"] for each in document["recordings"]}
    assert len(ids) == 20
    assert {each["id"] for each in list_recordings(enabled_job)} == ids


def test_two_parallel_uploads_of_a_run_give_one_recording_each(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    results(tmp_path / "r", film, "signs in", "signs out", "pays")

    def once(_number: int) -> int:
        command = [str(PROGRAM), *arguments(tmp_path / "r")]
        environment = enabled_job.environment()
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False, timeout=SECONDS
        )
        return done.returncode

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(once, range(2))) == [0, 0]
    assert len(list_recordings(enabled_job)) == 3


def test_disabling_recordings_during_an_upload_ends_it_with_the_message(
    enabled_job: CiJob, tmp_path: Path, film: bytes
) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    (folder / "a.webm").write_bytes(film)
    [video] = find_videos(folder, []).videos
    announce(enabled_job, video)
    enabled_job.server.act("disable_recordings", repoId=enabled_job.repository)
    failed = upload_json(enabled_job, folder)
    assert "Recordings are disabled" in failed["recordings"][0]["error"]
    enabled_job.server.act("enable_recordings", repoId=enabled_job.repository)
    assert upload_json(enabled_job, folder)["verdict"] == "uploaded"
    assert len(list_recordings(enabled_job)) == 1


def announce(job: CiJob, video: Video) -> None:
    with RecordingService(job.server.url, job.token, on_retry=lambda *_: None) as service:
        service.announce(
            make_announcement(video, Origin(CiFacts("git", "main", COMMIT), "default")).body
        )
