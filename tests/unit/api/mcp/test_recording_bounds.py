"""Whatever a recording is called and however much it contains, its result fits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from tests.support.mcp.results import render_checked, rest_shape, texts
from visual_review.actions.published import get_recording, list_recordings
from visual_review.actions.published.get_recording import AttachmentResult, FullRecording
from visual_review.actions.recording_results import LinkedTestResult, RecordingResult, StepResult

ID = "0" * 26
ADDRESS = f"https://s3.example/{'k' * 200}?signature={'a' * 900}"


def facts(text: str) -> dict[str, object]:
    return {
        "id": f"rec_{ID}",
        "title": text,
        "product_key": "default",
        "test": LinkedTestResult(id=f"test_{ID}", suite=text, title=text, file=text),
        "project": text,
        "outcome": "failed",
        "retry": 1,
        "status": "ready",
        "duration_ms": 1234,
        "branch": text[:255],
        "commit": text[:64],
        "pull_request": 1,
        "created_at": "2026-01-02T03:04:05.000Z",
        "url": f"http://127.0.0.1:8000/recordings/rec_{ID}",
    }


@given(st.sampled_from([0, 1, 60, 2000]), st.sampled_from([0, 1, 40]), texts, texts)
@settings(max_examples=rounds(8, 25))
def test_no_recording_is_too_long(steps: int, attachments: int, text: str, error: str) -> None:
    step = StepResult(title=text, start_ms=5, duration_ms=1, story_id=text[:300] or None)
    file = AttachmentResult(
        name=text[:200], content_type="text/plain", size=1, url=ADDRESS, failure=None
    )
    full = FullRecording.model_validate(
        {
            **facts(text),
            "repo_id": f"repo_{ID}",
            "head_repository": text[:255],
            "failure": error,
            "error": error * 20,
            "steps": [step] * steps,
            "test_duration_ms": 1,
            "ran_at": None,
            "width": 1,
            "height": 1,
            "video_url": ADDRESS,
            "poster_url": ADDRESS,
            "original_url": ADDRESS,
            "links_expire_at": "2026-01-02T04:04:05.000Z",
            "attachments": [file] * attachments,
        }
    )
    result = render_checked(get_recording.Result(recording=full), "get_recording")
    get_recording.Result.model_validate(rest_shape(result))
    assert ADDRESS in result.text
    for line in result.text.splitlines():
        assert line.isprintable()


@pytest.mark.parametrize("count", [1, 50, 1000])
@given(text=texts)
@settings(max_examples=rounds(3, 5))
def test_no_list_of_recordings_is_too_long(count: int, text: str) -> None:
    row = RecordingResult.model_validate(facts(text))
    result = render_checked(
        list_recordings.Result(recordings=[row] * count, more=False), "list_recordings"
    )
    list_recordings.Result.model_validate(rest_shape(result))
