"""Reading any file gives videos or an error with the name of the file."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.recordings.case_index import CaseIndex, ReportError, clean, find_story_id
from visual_review.client.recordings.report_formats import find_videos
from visual_review.client.recordings.upload_files import parse_time

KEYS = (
    *("suites", "specs", "tests", "results", "attachments", "steps", "errors", "path", "title"),
    *("file", "status", "retry", "duration", "contentType", "message", "stats", "err", "config"),
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ODD = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=30,
)
LETTERS = st.text("abc/.\\-_ é\0\ud800", max_size=20)


@pytest.fixture(scope="module")
def video_folder() -> Iterator[Path]:
    """A folder with one video, whose name random reports may contain."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.webm").write_bytes(b"video")
        yield Path(name)


def read(video_folder: Path, name: str, text: bytes) -> None:
    report = video_folder / name
    report.write_bytes(text)
    try:
        found = [each.path.name for each in find_videos(video_folder, [report]).videos]
    except ReportError as error:
        found, message = [], str(error)
    else:
        message = ""
    finally:
        report.unlink()
    assert found == ["a.webm"] or str(report) in message


def make_report(suites: Any) -> dict[str, Any]:  # noqa: ANN401 - Any JSON.
    return {"config": {}, "stats": {}, "suites": suites, "results": suites}


@given(ODD)
def test_any_json_is_read_or_an_error(video_folder: Path, document: object) -> None:
    read(video_folder, "r.json", json.dumps(document).encode())


@given(st.lists(ODD, max_size=3), st.sampled_from(["suites", "results"]))
def test_anything_within_a_report_is_read_or_an_error(
    video_folder: Path, suites: list[Any], omitted: str
) -> None:
    document = make_report(suites)
    del document[omitted]
    read(video_folder, "r.json", json.dumps(document).encode())


@given(ODD)
def test_any_result_of_a_test_is_read_or_an_error(video_folder: Path, result: Any) -> None:  # noqa: ANN401 - Any JSON.
    results = [{"attachments": [{"path": "a.webm", "contentType": "video/webm"}]}, result]
    suites = [{"specs": [{"tests": [{"results": results}]}]}]
    read(video_folder, "r.json", json.dumps({"config": {"x": 1}, "suites": suites}).encode())


@given(st.binary(max_size=60), st.sampled_from(["r.json", "r.xml"]))
def test_any_bytes_are_read_or_an_error(video_folder: Path, data: bytes, name: str) -> None:
    read(video_folder, name, data)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"suites": ' + "1" * 5000 + "}", "\ud800"])
def test_malicious_json_is_an_error(video_folder: Path, text: str) -> None:
    read(video_folder, "r.json", text.encode("utf-8", "surrogatepass"))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["testcase", "testsuite", "failure", "system-out", "skipped"]),
            st.dictionaries(
                st.sampled_from(["name", "file", "time", "classname"]),
                st.text("abc.,1e-9 ", max_size=8),
                max_size=3,
            ),
            st.sampled_from(["", "[[ATTACHMENT|a.webm]]", "[[ATTACHMENT|", "text"]),
        ),
        max_size=6,
    )
)
def test_any_tree_of_junit_elements_is_read(
    video_folder: Path, elements: list[tuple[str, dict[str, str], str]]
) -> None:
    text = ""
    for name, attributes, content in reversed(elements):
        pairs = "".join(f' {key}="{value}"' for key, value in attributes.items())
        text = f"<{name}{pairs}>{content}{text}</{name}>"
    read(video_folder, "r.xml", f"<testsuites>{text}</testsuites>".encode())


@given(st.text(max_size=40))
def test_clean_strings_can_be_sent_and_have_no_control_characters(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not {"\x1b", "\0", "\r", "\x07"} & set(cleaned)


@given(LETTERS)
def test_no_name_of_a_video_breaks_the_matching(name: str) -> None:
    assert CaseIndex([]).best_match(f"{name}x.webm") is None


@given(st.text(max_size=40))
def test_any_time_is_one_with_an_offset_or_none(text: str) -> None:
    read_time = parse_time(text)
    assert read_time is None or "T" in read_time


TIMES = [
    ("2026-03-01T12:00:00.000Z", True),
    ("2026-03-01T12:00:00", True),
    ("0001-01-01T00:00:00", False),
    ("9999-12-31T23:59:59", False),
    ("yesterday", False),
]


def test_times_of_reports_get_an_offset(case: Case) -> None:
    for text, known in TIMES:
        with case(text):
            read_time = parse_time(text)
            assert (read_time is not None) == known
            assert read_time is None or read_time.startswith("2026-03-01T")


STORIES_OF_STEPS = [
    (
        "http://localhost:6006/?path=/story/components-button--primary",
        "components-button--primary",
    ),
    ("Open /?path=/docs/button--docs&globals=theme:dark", "button--docs"),
    ("goto iframe.html?viewMode=story&id=forms-field--with-error#x", "forms-field--with-error"),
    ("goto iframe.html%3Fid=forms-field--with-error", "forms-field--with-error"),
    ("Look at button--primary in the dark", "button--primary"),
    ("grüße--übersicht", "grüße--übersicht"),
    ("Click .badge--bad", ""),
    ("Run with --headed", ""),
    ("a -- b", ""),
    ("", ""),
]


def test_a_step_names_a_story_by_its_url_or_id(case: Case) -> None:
    for title, story in STORIES_OF_STEPS:
        with case(repr(title)):
            assert find_story_id(title) == story
