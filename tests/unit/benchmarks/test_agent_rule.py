"""The scripted reviewer of ``bench-agent``: what it reads, decides and counts."""

import io
from base64 import b64encode

import pytest
from benchmarks.agent.costs import cost_of, count_image_tokens, read_reply
from benchmarks.agent.redesign import plan_redesign
from benchmarks.agent.results import Bars, Row, compute_bars
from benchmarks.agent.reviewer import Review, read_view, write_decisions
from benchmarks.agent.rule import SeenChange, decide, read_changes, read_cursor, read_seen
from benchmarks.agent.sheets import TAG, count_number_tags
from PIL import Image

from tests.support.case import Case
from visual_review.api.mcp.rendering.truncation import count_tokens

LIST = """\
Build build_1 (#2, completed) of branch redesign is unreviewed: 4 changed; 4 undecided.
G1 (3 alike): "same change in 2 stories: text changed"
each: 320x360
- card-1--default: #1 light/phone #2 dark/phone
- "a story: with words": #3 light/phone (flaky: 1 unstable, 0 varied of 10)
G2 (alone): "text vanished at 16,96"
- card-2--default: #4 dark/tablet (480x320)
More changes: the same call with cursor "4".
seen: 1-2-abc"""


def change(facts: str, alike: int = 1, number: int = 1, group: int = 1) -> SeenChange:
    return SeenChange(number, "card", "light/phone", group, alike, facts)


def test_changes_are_read_from_the_text_with_what_their_group_says() -> None:
    found = read_changes(LIST)
    assert [each.number for each in found] == [1, 2, 3, 4]
    assert [each.alike for each in found] == [3, 3, 3, 1]
    assert found[2].story == '"a story: with words"'
    assert found[1].variant == "dark/phone"
    assert "text vanished at 16,96" in found[3].facts
    assert (read_cursor(LIST), read_seen(LIST)) == ("4", "1-2-abc")


def test_what_recurs_or_moved_a_little_is_approved_and_all_else_rejected(case: Case) -> None:
    for facts, alike, expected in (
        ("text changed at 1,2", 2, "approved"),
        ("text changed at 1,2", 1, "rejected"),
        ("content moved by 4 to 8 px; 390x844", 1, "approved"),
        ("content moved by 4 to 9 px", 1, "rejected"),
        ("page 6 px taller at the bottom", 1, "approved"),
        ("text vanished at 1,2", 5, "rejected"),
        ("region 30x40 became one color at 1,2", 5, "rejected"),
        ("text differs at 1,2, contrast dropped from 10.0 to 1.4", 5, "rejected"),
        ("text differs at 1,2, contrast dropped from 10.0 to 6.6", 5, "approved"),
    ):
        with case(facts):
            assert decide(change(facts, alike)) == expected


def test_groups_are_approved_by_number_and_rejections_have_comments() -> None:
    review = Review([change("a", 2, 1), change("a", 2, 2), change("text vanished", 1, 3, 2)])
    review.decisions = {1: "approved", 2: "approved", 3: "rejected"}
    approval, rejection = write_decisions(review)
    assert approval == {"state": "approved", "groups": ["G1"]}
    assert rejection["screenshots"] == ["#3"]
    assert "text vanished" in rejection["comment"]


def test_scale_and_completeness_are_read_from_the_text() -> None:
    view = read_view("#12 card light/phone, changed: 20x30 at 1,2 of 390x844, at 50%")
    assert (view.number, view.scale, view.complete) == (12, 0.5, True)
    view = read_view("#3 card light/phone, changed: 390x844, IN PART: more changed outside")
    assert (view.number, view.scale, view.complete) == (3, 1.0, False)


def test_a_call_costs_its_arguments_texts_structured_content_and_pixels() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (100, 76)).save(stream, "PNG")
    image = {"type": "image", "data": b64encode(stream.getvalue()).decode()}
    result = {"content": [{"type": "text", "text": "three short words"}, image]}
    cost = cost_of("tool", {"a": 1}, result, 10, 0.5)
    assert cost.images == (11,)
    assert cost.text == count_tokens("three short words")
    assert cost.tokens == cost.sent + cost.text + 11
    twice = cost_of("tool", {"a": 1}, {**result, "structuredContent": {"a": "text"}}, 10, 0.5)
    assert twice.text > cost.text
    assert read_reply(result).images[0].size == (100, 76)
    assert count_image_tokens(Image.new("RGB", (750, 1))) == 1


def test_tags_of_numbers_are_found_in_the_pixels() -> None:
    sheet = Image.new("RGB", (300, 200), "white")
    assert count_number_tags(sheet) == 0
    for place in ((8, 8), (150, 8), (8, 100)):
        sheet.paste(TAG, (*place, place[0] + 30, place[1] + 18))
    assert count_number_tags(sheet) == 3


def test_a_build_has_so_many_changes_and_defects_and_a_seed_chooses_them() -> None:
    plan = plan_redesign(30, 40, 8, 1)
    assert (len(plan.pages), len(plan.changed), len(plan.defective)) == (40, 30, 8)
    assert len({page.defect for page in plan.defective}) == 8
    assert plan == plan_redesign(30, 40, 8, 1)
    assert plan != plan_redesign(30, 40, 8, 2)


def row(**more: object) -> Row:
    values: dict[str, object] = {
        "build": "b",
        "calls": 6,
        "text_tokens": 10_000,
        "image_tokens": 15_000,
        "longest_text": 10_000,
        "bytes": 1,
        "seconds": 1.0,
        "decided": {"a": "approved", "b": "rejected"},
        "expected": {"a": "approved", "b": "rejected"},
        "groups": 2,
        "largest": 1,
        "mixed": (),
        "illegible": (),
        "unreachable": (),
        "problems": (),
    }
    return Row(**{**values, **more})  # type: ignore[arg-type] # Tests replace any of them.


@pytest.mark.parametrize(
    ("more", "missed"),
    [
        ({}, ""),
        ({"calls": 7}, "calls"),
        ({"text_tokens": 10_001}, "tokens altogether"),
        ({"longest_text": 10_001}, "longest text"),
        ({"decided": {"a": "approved", "b": "approved"}}, "planted defects"),
        ({"decided": {"a": None, "b": "rejected"}}, "decided right"),
        ({"mixed": ("G1",)}, "groups with a defect"),
        ({"illegible": ("#1 at 20%",)}, "legible"),
        ({"unreachable": ("a",)}, "reached"),
        ({"problems": ("wrong size",)}, "differ from their texts"),
    ],
)
def test_each_bar_can_be_missed(more: dict[str, object], missed: str) -> None:
    bars = compute_bars(row(**more), Bars(calls=6, tokens=25_000, right=2, all_shown=True))
    found = [bar.text for bar in bars if bar.missed]
    assert bool(found) == bool(missed)
    assert all(missed in text or "decided right" in text for text in found)
