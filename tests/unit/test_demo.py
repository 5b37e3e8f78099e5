"""The demo's own judgment: the demo must be able to fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts.demo_expected import (
    check_carried_over,
    check_changed,
    check_first,
    failing_story,
    read_expected,
)
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_publishing import CHANGED, FIRST

LISTED = ("changed", "new", "removed", "failed")
VARIANTS = [
    {"theme": theme, "device": device}
    for theme in ("light", "dark")
    for device in ("phone", "tablet", "desktop")
]


def shot(story: str, variant: dict[str, str], state: str) -> dict[str, Any]:
    source = None if state in ("unchanged", "failed") else {"source": "carried_over"}
    return {"storyId": story, "variant": variant, "diffState": state, "decided": source}


@pytest.fixture
def expected_build() -> dict[str, Any]:
    """Return a build exactly as in EXPECTED.json, with made-up names for the rest."""
    document = read_expected()
    states = {
        (entry["storyId"], variant): state
        for state in LISTED
        for entry in document[state]
        for variant in entry["variants"]
    }
    named = sorted({story for story, _ in states})
    total = sum(document["totals"][state] for state in (*LISTED, "unchanged"))
    names = [*named, *(f"other--{n}" for n in range(total // len(VARIANTS) - len(named)))]
    shots = [
        shot(name, each, states.get((name, f"{each['theme']}-{each['device']}"), "unchanged"))
        for name in names
        for each in VARIANTS
    ]
    return {"reviewState": "approved", "screenshots": shots}


def test_the_build_that_is_expected_passes(expected_build: dict[str, Any]) -> None:
    check_changed(expected_build)


def as_failing(build: dict[str, Any]) -> None:
    next(s for s in build["screenshots"] if s["diffState"] == "unchanged")["diffState"] = "failed"


def as_changed(build: dict[str, Any]) -> None:
    next(s for s in build["screenshots"] if s["diffState"] == "unchanged")["diffState"] = "changed"


def as_unchanged(build: dict[str, Any]) -> None:
    next(s for s in build["screenshots"] if s["diffState"] == "changed")["diffState"] = "unchanged"


def without_one(build: dict[str, Any]) -> None:
    build["screenshots"].remove(
        next(s for s in build["screenshots"] if s["diffState"] == "unchanged")
    )


@pytest.mark.parametrize("alter", [as_failing, as_changed, as_unchanged, without_one])
def test_any_other_build_is_refused(
    alter: Callable[[dict[str, Any]], None], expected_build: dict[str, Any]
) -> None:
    alter(expected_build)
    with pytest.raises(DemoError, match=r"EXPECTED\.json"):
        check_changed(expected_build)


def test_a_first_build_holds_nothing_but_new_stories_and_the_failing_one() -> None:
    count = read_expected()["totals"]["storiesBase"]
    names = [failing_story(), *(f"other--{n}" for n in range(count - 1))]
    build = {
        "screenshots": [
            shot(name, each, "failed" if name == failing_story() else "new")
            for name in names
            for each in VARIANTS
        ]
    }
    check_first(build)
    build["screenshots"][-1]["diffState"] = "unchanged"
    with pytest.raises(DemoError, match="is unchanged"):
        check_first(build)


def test_one_difference_not_carried_over_is_told(expected_build: dict[str, Any]) -> None:
    expected_build["screenshots"] = [
        s for s in expected_build["screenshots"] if s["diffState"] != "failed"
    ]
    check_carried_over(expected_build)
    next(s for s in expected_build["screenshots"] if s["diffState"] == "changed")["decided"] = None
    with pytest.raises(DemoError, match="not carried over"):
        check_carried_over(expected_build)


def test_a_folder_is_held_by_one_demo_and_made_anew_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.demo_folder.ROOT", tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with demo_folder("show") as folder:
        (folder / "data").mkdir()
        with pytest.raises(DemoError, match="already running"), demo_folder("show"):
            pass
    with demo_folder("show") as again:
        assert list(again.iterdir()) == []


def test_commits_of_the_demo_look_like_gits_and_differ() -> None:
    assert len(FIRST.commit) == len(CHANGED.commit) == 40
    assert FIRST.commit != CHANGED.commit
