"""``POST recordings``, its parts and ``finish``: announced once, sent in parts, gone on with."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.ci.publish_client import Job, connect, problem_of, put
from tests.support.ci.recordings import Recorder, enable, sha256
from tests.support.personas import Personas
from tests.support.threads import racers
from visual_review.recordings.enrollment import DISABLED
from visual_review.recordings.models import TITLE_LENGTH, LinkedTest, Recording
from visual_review.repositories.models import Product

VIDEO = bytes(range(256)) * 40
TEST = {"file": "tests/pay.spec.ts", "suite": "Checkout", "title": "pays by card"}


@pytest.fixture
def job(personas: Personas) -> Job:
    found = connect(personas.alice)
    enable(found.repository)
    return found


@pytest.fixture
def recorder(job: Job) -> Recorder:
    return Recorder(job)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visual_review.recordings.announce.PART_SIZE", 4096)


@pytest.mark.usefixtures("small_parts")
def test_an_announcement_returns_where_the_parts_and_attachments_go(recorder: Recorder) -> None:
    trace = {
        "name": "trace.zip",
        "contentType": "application/zip",
        "size": 3,
        "sha256": sha256(b"zip"),
    }
    result = recorder.announce(recorder.request_body(VIDEO, attachments=[trace]))
    assert result["status"] == "uploading"
    assert result["url"].endswith(f"/recordings/{result['id']}")
    parts = [(part["number"], part["offset"], part["size"]) for part in result["missingParts"]]
    assert parts == [(1, 0, 4096), (2, 4096, 4096), (3, 8192, 2048)]
    assert [each["name"] for each in result["missingAttachments"]] == ["trace.zip"]


def test_everything_reported_about_the_test_is_stored(recorder: Recorder) -> None:
    steps = [{"title": "Open", "startMs": 0, "durationMs": 120, "storyId": "button--primary"}]
    facts = {
        "test": TEST,
        "project": "chromium",
        "outcome": "timed_out",
        "retry": 2,
        "error": "Timeout\nof 30 s",
        "steps": steps,
        "testDurationMs": 900,
        "ranAt": "2026-03-01T13:00:00+01:00",
        "branch": "feature/x",
        "commit": "c0ffee",
        "headRepository": "someone/fork",
        "pullRequest": 12,
    }
    result = recorder.announce(recorder.request_body(VIDEO, **facts))
    row = Recording.objects.get(pk=result["id"])
    assert row.test is not None
    assert (row.test.file, row.test.suite, row.test.title) == tuple(TEST.values())
    assert (row.project, row.outcome, row.retry) == ("chromium", "timed_out", 2)
    assert (row.error, row.steps, row.test_duration_ms) == ("Timeout\nof 30 s", steps, 900)
    assert row.ran_at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert (row.branch, row.commit, row.pull_request) == ("feature/x", "c0ffee", 12)
    assert row.head_repository == "someone/fork"


def test_a_test_is_one_row_for_all_its_recordings(recorder: Recorder) -> None:
    for _ in range(2):
        recorder.announce(recorder.request_body(VIDEO, test=TEST))
    recorder.announce(recorder.request_body(VIDEO, test={**TEST, "suite": "Other"}))
    recorder.announce(recorder.request_body(VIDEO, test=TEST, productKey="admin"))
    assert LinkedTest.objects.count() == 3


def test_names_as_long_as_they_may_be_make_one_test(recorder: Recorder) -> None:
    # Hashes cannot be compressed, and an index of such names would refuse them.
    long = "".join(sha256(bytes([number])) for number in range(16))[:TITLE_LENGTH]
    test = {"file": long, "suite": long[::-1], "title": long.swapcase()}
    for _ in range(2):
        recorder.announce(recorder.request_body(VIDEO, test=test))
    assert LinkedTest.objects.get().title == test["title"]


@pytest.mark.usefixtures("small_parts")
def test_announcing_again_returns_what_is_still_missing(recorder: Recorder) -> None:
    body = recorder.request_body(VIDEO)
    first = recorder.announce(body)
    assert put(first["missingParts"][1]["url"], VIDEO[4096:8192]).status_code == 201
    again = recorder.announce(body)
    assert again["id"] == first["id"]
    assert [part["number"] for part in again["missingParts"]] == [1, 3]
    recorder.send(again, VIDEO)
    assert recorder.announce(body)["missingParts"] == []
    assert Recording.objects.count() == 1


def test_the_same_key_with_other_contents_is_rejected_with_a_message(
    recorder: Recorder, job: Job
) -> None:
    body = recorder.request_body(VIDEO, test=TEST)
    recorder.announce(body)
    other = {**body, "sha256": sha256(b"other"), "test": {**TEST, "title": "pays by cash"}}
    problem = problem_of(job.call("POST", "recordings", other), 409)
    assert "sha256 and test" in problem["detail"]


@pytest.mark.django_db(transaction=True)
def test_two_that_announce_one_recording_at_once_make_one(recorder: Recorder) -> None:
    body = recorder.request_body(VIDEO, test=TEST)
    with racers(3) as threads:
        results = threads.race(*[lambda: recorder.announce(body)] * 3)
    assert len({result["id"] for result in results}) == 1
    assert Recording.objects.count() == LinkedTest.objects.count() == 1


@pytest.mark.usefixtures("small_parts")
def test_finishing_needs_everything_and_starts_the_processing_once(recorder: Recorder) -> None:
    body = recorder.request_body(
        VIDEO, attachments=[{"name": "trace.zip", "size": 3, "sha256": sha256(b"zip")}]
    )
    announced = recorder.announce(body)
    put(announced["missingParts"][0]["url"], VIDEO[:4096])
    problem = problem_of(recorder.finish(announced["id"]), 409)
    assert problem["missing"] == {"parts": [2, 3], "attachments": ["trace.zip"]}
    recorder.send(recorder.announce(body), VIDEO, {"trace.zip": b"zip"})
    for _ in range(2):
        assert recorder.finish(announced["id"]).status_code == 200
    assert recorder.show(announced["id"])["status"] == "processing"
    jobs = ProcrastinateJob.objects.filter(task_name="process_recording")
    assert jobs.get().lock == announced["id"]


def test_a_part_that_comes_after_the_end_of_the_upload_changes_nothing(
    recorder: Recorder, blobs_folder: Path
) -> None:
    announced = recorder.announce(recorder.request_body(VIDEO))
    recorder.send(announced, VIDEO)
    recorder.finish(announced["id"])
    (path,) = blobs_folder.rglob("part-*")
    path.unlink()
    recorder.send(announced, VIDEO)
    assert not path.exists()


def test_a_part_of_another_size_is_rejected_and_leaves_nothing(
    recorder: Recorder, blobs_folder: Path
) -> None:
    url = recorder.announce(recorder.request_body(VIDEO))["missingParts"][0]["url"]
    assert "10240 bytes, but 3" in problem_of(put(url, b"abc"), 400)["detail"]
    assert [each for each in blobs_folder.rglob("*") if each.is_file()] == []


def test_a_full_disk_is_reported_and_leaves_nothing_half_stored(
    recorder: Recorder, blobs_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced = recorder.announce(recorder.request_body(VIDEO))
    monkeypatch.setattr("visual_review.kernel.blobs.MINIMUM_FREE_BYTES", 2**60)
    result = put(announced["missingParts"][0]["url"], VIDEO)
    assert "disk is full" in problem_of(result, 507)["detail"]
    monkeypatch.undo()
    assert [each for each in blobs_folder.rglob("*") if each.is_file()] == []
    recorder.send(announced, VIDEO)
    assert recorder.finish(announced["id"]).status_code == 200


@pytest.mark.usefixtures("small_parts")
def test_while_disabled_uploads_are_rejected_and_afterwards_they_continue(
    recorder: Recorder, job: Job
) -> None:
    body = recorder.request_body(VIDEO)
    announced = recorder.announce(body)
    put(announced["missingParts"][0]["url"], VIDEO[:4096])
    enable(job.repository, enabled=False)
    rejections = [
        job.call("POST", "recordings", body),
        put(announced["missingParts"][1]["url"], VIDEO[4096:8192]),
        recorder.finish(announced["id"]),
    ]
    assert [problem_of(each, 409)["detail"] for each in rejections] == [DISABLED] * 3
    assert recorder.show(announced["id"])["status"] == "uploading"
    enable(job.repository)
    again = recorder.announce(body)
    assert [part["number"] for part in again["missingParts"]] == [2, 3]
    recorder.send(again, VIDEO)
    assert recorder.finish(announced["id"]).status_code == 200


def test_a_repository_that_never_enabled_recordings_takes_none(personas: Personas) -> None:
    recorder = Recorder(connect(personas.alice))
    response = recorder.job.call("POST", "recordings", recorder.request_body(VIDEO))
    assert problem_of(response, 409)["detail"] == DISABLED
    assert Product.objects.filter(key="default").count() <= 1
    assert not Recording.objects.exists()


def test_sizes_and_kinds_of_files_are_limited_by_settings(
    recorder: Recorder, job: Job, settings: Settings
) -> None:
    settings.RECORDING_MAX_BYTES = 100
    settings.ATTACHMENT_MAX_BYTES = 10
    large = recorder.request_body(VIDEO)
    assert "the limit is 100" in problem_of(job.call("POST", "recordings", large), 413)["detail"]
    attachment = {"name": "a.txt", "size": 11, "sha256": sha256(b"")}
    body = recorder.request_body(b"", attachments=[attachment])
    assert "the limit is 10" in problem_of(job.call("POST", "recordings", body), 413)["detail"]
    image_request = recorder.request_body(b"", fileName="shot.png")
    assert ".webm" in problem_of(job.call("POST", "recordings", image_request), 400)["detail"]


FAULTS: tuple[dict[str, object], ...] = (
    {"key": ""},
    {"title": "\n"},
    {"outcome": "great"},
    {"ranAt": "yesterday"},
    {"ranAt": "2026-03-01T12:00:00"},
    {"size": -1},
    {"steps": [{"title": "a", "startMs": -1}]},
    {"attachments": [{"name": "a", "size": 1, "sha256": "0" * 64}] * 2},
    {"surprise": 1},
)


def test_invalid_announcements_are_rejected(case: Case, recorder: Recorder, job: Job) -> None:
    for wrong in FAULTS:
        with case(wrong):
            problem_of(job.call("POST", "recordings", recorder.request_body(VIDEO, **wrong)), 400)


def test_titles_that_cannot_be_shown_as_they_are_are_cleaned(recorder: Recorder) -> None:
    result = recorder.announce(recorder.request_body(VIDEO, title="a\nb\u202e" + "x" * 2000))
    assert Recording.objects.get(pk=result["id"]).title == "a b " + "x" * 996


def test_recordings_of_another_repository_are_unknown(
    recorder: Recorder, personas: Personas
) -> None:
    result = recorder.announce(recorder.request_body(VIDEO))
    other = connect(personas.mallory)
    enable(other.repository)
    for call in (("GET", ""), ("POST", "/finish")):
        problem_of(other.call(call[0], f"recordings/{result['id']}{call[1]}", {}), 404)


def test_what_was_given_up_begins_anew_when_it_is_announced_again(recorder: Recorder) -> None:
    body = recorder.request_body(VIDEO)
    announced = recorder.announce(body)
    Recording.objects.update(status="failed", failure="The upload never finished.")
    assert "never finished" in problem_of(recorder.finish(announced["id"]), 409)["detail"]
    again = recorder.announce(body)
    assert (again["id"], again["status"]) == (announced["id"], "uploading")
    assert len(again["missingParts"]) == 1
