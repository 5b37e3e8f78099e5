"""Parts of a result: each is short, and together they are the whole."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.api.mcp.rendering.truncation import count_json_tokens
from visual_review.api.mcp.result_parts import FIRST, Part, Section, read_part

MOST_TOKENS = 9_900
LONG = "\u0007é🙂 data " * 4_000
HEAD = {"id": "build_1", "message": "hello", "groups": [], "screenshots": []}


def sections(head: Any, groups: list[Any], screenshots: list[Any]) -> list[Section]:  # noqa: ANN401 - JSON.
    return [
        Section("build", "/build", [head], is_list=False),
        Section("groups", "/build/groups", groups),
        Section("screenshots", "/build/screenshots", screenshots),
    ]


def parts_of(found: list[Section]) -> Iterator[Part]:
    name: str | None = FIRST
    while name is not None:
        part = read_part(found, name)
        assert part is not None, name
        yield part
        name = part.next.name if part.next else None


def put_together(parts: list[Part]) -> Any:  # noqa: ANN401 - JSON.
    """Join the pieces as the resource's description says."""
    whole: dict[str, Any] = {}
    for piece in (piece for part in parts for piece in part.pieces):
        put(whole, piece["at"].split("/")[1:], deepcopy(piece["value"]))
    return whole


def put(target: Any, path: list[str], value: Any) -> None:  # noqa: ANN401 - JSON.
    key: Any = int(path[0]) if isinstance(target, list) else path[0]
    missing = key >= len(target) if isinstance(target, list) else key not in target
    if len(path) > 1:
        if missing:
            put(target, path[:1], {})
        put(target[key], path[1:], value)
    elif missing and isinstance(target, list):
        target.append(value)
    elif missing:
        target[key] = value
    elif isinstance(value, dict):
        target[key].update(value)
    else:
        target[key] += value


def shots(count: int) -> list[Any]:
    return [{"id": f"shot_{number}", "comment": "why " * 40} for number in range(count)]


@pytest.mark.parametrize(
    ("head", "groups", "screenshots"),
    [
        (HEAD, [], []),
        (HEAD, [{"id": "group_1", "remainderIds": []}], shots(3)),
        (HEAD, [], shots(1_000)),
        ({**HEAD, "message": LONG}, [], shots(3)),
        (HEAD, [{"id": "group_1", "remainderIds": [f"shot_{n:026}" for n in range(9_000)]}], []),
        (HEAD, [], [{"id": "shot_1", "comment": LONG, "earlier": {"comment": LONG}}, *shots(90)]),
    ],
)
def test_parts_are_short_and_together_the_whole(
    head: dict[str, Any], groups: list[Any], screenshots: list[Any]
) -> None:
    found = list(parts_of(sections(head, groups, screenshots)))
    assert all(count_json_tokens(part.pieces) <= MOST_TOKENS for part in found)
    assert put_together(found)["build"] == {**head, "groups": groups, "screenshots": screenshots}


@given(st.lists(st.integers(0, 30_000), max_size=12))
def test_nothing_is_lost_between_parts_of_any_length(lengths: list[int]) -> None:
    items = [{"id": number, "text": "ab 1é" * (size // 5)} for number, size in enumerate(lengths)]
    found = list(parts_of(sections(HEAD, [], items)))
    assert all(part.pieces for part in found)
    assert all(count_json_tokens(part.pieces) <= MOST_TOKENS for part in found)
    assert put_together(found)["build"]["screenshots"] == items


@pytest.mark.parametrize("name", ["", "start-1", "groups-0", "screenshots-3", "nothing-0", "build"])
def test_there_is_no_part_of_another_name(name: str) -> None:
    assert read_part(sections(HEAD, [], shots(3)), name) is None


def test_a_part_may_begin_anywhere_in_a_list() -> None:
    part = read_part(sections(HEAD, [], shots(3)), "screenshots-1")
    assert part is not None
    assert part.pieces == [{"at": "/build/screenshots", "value": shots(3)[1:]}]
