"""Reading the index of a built Storybook."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.capture import CaptureError, Story, is_storybook, read_stories
from visual_review.client.capture.stories import entry_paths, parse_index

TEXTS = st.text(min_size=1, max_size=20)
IDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=300)
STORIES = st.fixed_dictionaries(
    {"type": st.just("story"), "id": IDS, "title": TEXTS, "name": TEXTS, "importPath": TEXTS},
    optional={"tags": st.lists(TEXTS, max_size=3), "subtype": st.just("story")},
)
OTHERS = st.sampled_from(
    [
        {"type": "docs", "id": "a--docs", "title": "A", "name": "Docs", "importPath": "./a.mdx"},
        {"type": "story", "subtype": "test", "id": "a--b:c", "title": "A", "name": "B"},
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def storybook(folder: Path, index: object) -> Path:
    (folder / "iframe.html").write_text("<!doctype html>")
    (folder / "index.json").write_text(json.dumps(index))
    return folder


def unique_id(entry: dict[str, Any]) -> object:
    return entry["id"] if entry["type"] == "story" else id(entry)


@given(
    version=st.sampled_from([4, 5]),
    entries=st.lists(STORIES | OTHERS, max_size=8, unique_by=unique_id),
)
def test_exactly_the_stories_are_read_in_the_order_of_the_index(
    version: int, entries: list[dict[str, Any]]
) -> None:
    index = {"v": version, "entries": {str(place): entry for place, entry in enumerate(entries)}}
    expected = [
        Story(
            entry["id"],
            entry["title"],
            entry["name"],
            entry["importPath"],
            tuple(entry.get("tags", [])),
        )
        for entry in entries
        if entry["type"] == "story" and entry.get("subtype") != "test"
    ]
    assert parse_index(json.dumps(index), "index.json") == expected


@given(entries=JSON, version=st.sampled_from([4, 5, 3, None, "5"]))
def test_any_other_json_gives_stories_or_a_capture_error(entries: object, version: object) -> None:
    text = json.dumps({"v": version, "entries": entries})
    try:
        stories = parse_index(text, "index.json")
    except CaptureError as error:
        assert "index.json" in str(error)  # noqa: PT017 -- Most inputs are errors, not all.
    else:
        assert all(story.id and story.title and story.import_path for story in stories)


@given(text=st.text())
def test_any_text_that_is_not_an_object_is_an_error(text: str) -> None:
    with pytest.raises(CaptureError):
        parse_index(text, "index.json")


def test_deeply_nested_json_is_an_error() -> None:
    with pytest.raises(CaptureError, match="not valid JSON"):
        parse_index("[" * 1_000_000, "index.json")


def test_a_story_without_a_required_string_is_named() -> None:
    text = json.dumps({"v": 5, "entries": {"a--b": {"type": "story", "id": "a--b", "title": "A"}}})
    with pytest.raises(CaptureError, match="'name' of the entry 'a--b' is not a string"):
        parse_index(text, "index.json")


def test_ids_that_cannot_be_stored_are_refused_by_name(case: Case) -> None:
    unusable = {
        "long": ["x" * 301],
        "control": ["a\nb"],
        "surrogate": ["a\ud800"],
        "twice": ["a--b", "a--b"],
    }
    messages = {
        "long": "'x{60}'.* has 301 characters, at most 300",
        "control": r"'a\\nb' has a control character",
        "surrogate": r"'a\\ud800' has a control character",
        "twice": "2 stories have the ID 'a--b'",
    }
    for name, ids in unusable.items():
        entries = {
            str(place): {"id": each, "title": "A", "name": "B", "importPath": "./a"}
            for place, each in enumerate(ids)
        }
        with case(name), pytest.raises(CaptureError, match=messages[name]):
            parse_index(json.dumps({"v": 5, "entries": entries}), "index.json")


def test_a_url_is_explained_at_once() -> None:
    for url in ("http://localhost:6006", "HTTPS://storybook.example.org/main/"):
        with pytest.raises(CaptureError, match=rf"{url[:20]}.* is a URL.*`storybook build`"):
            read_stories(Path(url))


def test_a_folder_without_an_index_is_an_error_with_advice(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="Pass the folder written by `storybook build`"):
        read_stories(tmp_path)


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="There is no folder"):
        read_stories(tmp_path / "nowhere")


def test_an_index_of_storybook_6_is_recognized(tmp_path: Path) -> None:
    (tmp_path / "iframe.html").write_text("")
    (tmp_path / "stories.json").write_text('{"v": 3, "stories": {}}')
    assert is_storybook(tmp_path)
    with pytest.raises(CaptureError, match="Storybook 6 and older"):
        read_stories(tmp_path)


def test_an_index_without_a_preview_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"v": 5, "entries": {}}')
    assert not is_storybook(tmp_path)
    with pytest.raises(CaptureError, match=r"no iframe\.html"):
        read_stories(tmp_path)


def test_an_index_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    storybook(tmp_path, {})
    (tmp_path / "index.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(CaptureError, match="cannot be read"):
        read_stories(tmp_path)


def test_the_paths_of_docs_pages_are_entries_too(tmp_path: Path) -> None:
    docs = {"type": "docs", "id": "a--docs", "importPath": "./a.mdx"}
    story = {"type": "story", "id": "a--b", "importPath": "./a.stories.js"}
    folder = storybook(tmp_path, {"v": 5, "entries": {"a--docs": docs, "a--b": story}})
    assert entry_paths(folder) == {"./a.mdx", "./a.stories.js"}
