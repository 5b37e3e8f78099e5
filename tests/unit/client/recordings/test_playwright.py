from pathlib import Path

import pytest

from tests.support.ci.reports import (
    COLORED,
    attachment,
    playwright,
    result,
    spec,
    touch,
)
from visual_review.client.recordings.case_index import ReportError
from visual_review.client.recordings.found_videos import FoundVideos, LinkedTest, Step, Video
from visual_review.client.recordings.report_formats import find_videos


def read(folder: Path, *specs: dict[str, object]) -> FoundVideos:
    return find_videos(folder, [playwright(folder, *specs)])


def one(folder: Path, *specs: dict[str, object]) -> Video:
    [video] = read(folder, *specs).videos
    return video


def test_a_video_has_the_file_suite_project_time_and_outcome_of_its_test(tmp_path: Path) -> None:
    path = touch(tmp_path / "login-works-chromium" / "video.webm")
    video = one(tmp_path, spec("works", result(attachments=[attachment(path)])))
    assert video.path == path
    assert video.test == LinkedTest("login.spec.ts", "Sign in", "works")
    assert (video.project, video.outcome, video.retry) == ("chromium", "passed", 0)
    assert (video.duration_ms, video.ran_at) == (1500, "2026-03-01T12:00:00.000Z")


def test_each_retry_is_a_recording_and_the_one_that_passed_is_flaky(tmp_path: Path) -> None:
    paths = [touch(tmp_path / name / "video.webm") for name in ("login", "login-retry1")]
    first = result(
        status="failed", errors=[{"message": COLORED}], attachments=[attachment(paths[0])]
    )
    second = result(retry=1, attachments=[attachment(paths[1])])
    videos = read(tmp_path, spec("works", first, second, status="flaky")).videos
    assert [(each.retry, each.outcome) for each in videos] == [(0, "failed"), (1, "flaky")]
    assert videos[0].error == ("Error: expect(locator).toBeVisible() failed\n\nLocator: #saved")


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("failed", "failed"),
        ("timedOut", "timed_out"),
        ("skipped", "skipped"),
        ("interrupted", "interrupted"),
        ("what comes next year", "failed"),
    ],
)
def test_every_status_has_its_outcome(tmp_path: Path, status: str, outcome: str) -> None:
    path = touch(tmp_path / "a" / "video.webm")
    tried = result(status=status, attachments=[attachment(path)])
    assert one(tmp_path, spec("works", tried, status="unexpected")).outcome == outcome


def test_a_test_that_is_expected_to_fail_passes_by_failing(tmp_path: Path) -> None:
    path = touch(tmp_path / "a" / "video.webm")
    failing = result(status="failed", attachments=[attachment(path)])
    assert one(tmp_path, spec("works", failing)).outcome == "passed"
    passing = one(
        tmp_path, spec("works", result(attachments=[attachment(path)]), status="unexpected")
    )
    assert passing.outcome == "failed"
    assert "expected to fail" in passing.error


def test_steps_follow_one_another_and_include_nested_ones(tmp_path: Path) -> None:
    path = touch(tmp_path / "a" / "video.webm")
    steps = [
        {
            "title": "Open",
            "duration": 300,
            "steps": [{"title": "Go to /iframe.html?id=button--primary", "duration": 100}],
        },
        {"title": "Press", "duration": 200.7},
    ]
    assert one(
        tmp_path, spec("works", result(attachments=[attachment(path)], steps=steps))
    ).steps == (
        Step("Open", 0, 300),
        Step("Go to /iframe.html?id=button--primary", 0, 100, "button--primary"),
        Step("Press", 300, 200),
    )


def test_traces_and_screenshots_are_attachments_of_the_first_video(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    paths = [touch(folder / name) for name in ("video.webm", "video-1.webm", "trace.zip", "s.png")]
    kinds = [("video", "video/webm")] * 2 + [("trace", "application/zip"), ("shot", "image/png")]
    attachments = [
        attachment(path, name, kind) for path, (name, kind) in zip(paths, kinds, strict=True)
    ]
    inline = {"name": "log", "contentType": "text/plain", "body": "aGVsbG8="}
    first, second = read(tmp_path, spec("works", result(attachments=[*attachments, inline]))).videos
    assert [each.name for each in first.attachments] == ["trace", "shot"]
    assert [each.content_type for each in first.attachments] == ["application/zip", "image/png"]
    assert second.attachments == ()
    assert second.title.endswith("works (video 2)")
    assert (first.part, second.part) == (0, 1)


@pytest.mark.parametrize(
    "named",
    [
        "/home/runner/work/web/test-results/login-works/video.webm",
        "C:\\work\\web\\test-results\\login-works\\video.webm",
        "login-works/video.webm",
        "../old/login-works/video.webm",
    ],
)
def test_a_video_is_found_where_it_was_moved_to(tmp_path: Path, named: str) -> None:
    path = touch(tmp_path / "artifacts" / "login-works" / "video.webm")
    touch(tmp_path / "artifacts" / "login-fails" / "video.webm")
    videos = read(tmp_path, spec("works", result(attachments=[attachment(named)]))).videos
    assert [each.path for each in videos if each.test] == [path]


def test_a_missing_video_is_not_replaced_by_that_of_another_test(tmp_path: Path) -> None:
    touch(tmp_path / "login-fails" / "video.webm")
    found = read(
        tmp_path, spec("works", result(attachments=[attachment("/x/login-works/video.webm")]))
    )
    assert [each.test for each in found.videos] == [None]
    assert "/x/login-works/video.webm is not in" in found.notes[0]


def test_files_elsewhere_on_the_machine_are_never_uploaded(tmp_path: Path) -> None:
    secret = touch(tmp_path / "secret.webm")
    folder = tmp_path / "results"
    (folder / "link").mkdir(parents=True)
    (folder / "link" / "video.webm").symlink_to(secret)
    attachments = [attachment(secret), attachment("../secret.webm"), attachment("link/video.webm")]
    assert read(folder, spec("works", result(attachments=attachments))).videos == []


def test_the_report_is_found_next_to_the_videos(tmp_path: Path) -> None:
    path = touch(tmp_path / "a" / "video.webm")
    touch(tmp_path / "b" / "other.webm")
    touch(tmp_path / ".last-run.json", b"{}")
    touch(tmp_path / "broken.json", b"{")
    playwright(tmp_path, spec("works", result(attachments=[attachment(path)])))
    found = find_videos(tmp_path, [])
    assert [each.title for each in found.videos] == [
        "Sign in \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} works",
        "b/other.webm",
    ]
    assert any("broken.json, line 1" in note for note in found.notes)


def test_the_error_of_an_invalid_report_has_the_position(tmp_path: Path) -> None:
    with pytest.raises(ReportError) as caught:
        read(tmp_path, spec("works", result(attachments=[{"path": 3}])))
    assert str(caught.value) == (
        f"{tmp_path}/results.json, suites[0].suites[0].specs[0].tests[0].results[0]"
        ".attachments[0].path: expected a string, found a number."
    )
