"""One word for one thing: old words stay out of texts for people, and out of names."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.architecture.words import (
    Finding,
    pages,
    sources,
    words_in_names,
    words_in_text,
)
from tests.support.case import Case

# Where such a word is the right one. A path and a part of the line, with the reason.
RIGHT_IN_TEXT: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "src/visual_review/builds/retention/builds.py",
        "Kept for as long as the settings of retention say",
        "Stored in rows, and compared to find interrupted deletions.",
    ),
)
RIGHT_NAMES: Final[dict[str, str]] = {
    "comment_pictures": "A column, and published as `commentPictures`.",
    "comparison__has_picture": "A column.",
    "has_picture": "A column.",
    "pictures_bytes": "A column.",
    "provider_noted_at": "A column.",
}


def unexpected(found: Finding) -> bool:
    if any(found.path == path and part in found.text for path, part, _ in RIGHT_IN_TEXT):
        return False
    return found.text not in RIGHT_NAMES


def test_texts_that_people_read_have_no_old_words() -> None:
    found = filter(unexpected, words_in_text([*pages(), *sources()]))
    assert [str(finding) for finding in found] == []


def test_names_have_no_old_words() -> None:
    found = filter(unexpected, words_in_names(sources()))
    assert [str(finding) for finding in found] == []


def test_every_exception_is_needed(case: Case) -> None:
    in_text = list(words_in_text([*pages(), *sources()]))
    for path, part, _ in RIGHT_IN_TEXT:
        with case(f"{path}: {part}"):
            assert any(found.path == path and part in found.text for found in in_text)
    in_names = {found.text for found in words_in_names(sources())}
    assert set(RIGHT_NAMES) <= in_names


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "telling.py"
    path.write_text(
        '"""Sends news."""\n\n\nclass HostAnswer:\n    pass\n\n\n'
        'def keep_picture(ending: str) -> None:\n    raise ValueError(f"Nobody told us {ending}")\n'
    )
    return path


def test_old_words_are_found(module: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The `door`\n\nIt is a door, say, and\nit tells the news.\n")
    assert [found.word for found in words_in_names([module])] == ["telling", "answer", "picture"]
    assert [found.word for found in words_in_text([module])] == ["news", "Nobody", "told"]
    lines = {(found.line, found.word) for found in words_in_text([page])}
    assert lines == {(3, "door"), (3, "say"), (4, "tells"), (4, "news")}
