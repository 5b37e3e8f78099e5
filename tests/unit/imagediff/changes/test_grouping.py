"""Which screenshots form a group, the group's name, and the order of groups."""

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from visual_review.imagediff.changes.grouping import (
    ChangedScreenshot,
    Group,
    group_changes,
    name_summary,
)
from visual_review.imagediff.changes.model import (
    NOTHING_CHANGED,
    ChangeKind,
    Displacement,
    Offset,
    Part,
    Signature,
)
from visual_review.imagediff.changes.wording import SCROLLBAR
from visual_review.imagediff.model import Box

ANALYSIS = replace(NOTHING_CHANGED, kind="text", summary="text changed at 3,4")
HEADER, CARD = Box(0, 0, 400, 60), Box(20, 300, 90, 20)
BRAND = ("#0b6e4f", "#7a1f5c")


def part(content: str, box: Box = CARD, what: str = "text changed") -> Part:
    return Part(content, box, what)


def moved(x: int, y: int, top: int = 60) -> Displacement:
    return Displacement(Offset(x, y), Box(10, top + max(0, y), 380, 740))


def shot(
    key: str,
    *parts: Part,
    moves: Sequence[Displacement] = (),
    family: str = "",
    grown: int = 0,
    severity: float = 0.5,
    kind: ChangeKind = "text",
) -> ChangedScreenshot:
    signature = Signature(parts, tuple(moves))
    analysis = replace(ANALYSIS, signature=signature, severity=severity, kind=kind)
    sizes = ((400, 800), (400, 800 + grown))
    return ChangedScreenshot(key, family or key, key, "desktop", *sizes, analysis)


def members_of(found: Sequence[Group]) -> list[tuple[str, ...]]:
    return [group.members for group in found]


def test_what_screenshots_share_is_a_group_wherever_it_is() -> None:
    pages = [shot(f"page {number}", part("header", HEADER)) for number in range(40)]
    found = group_changes([*pages, shot("button", part("corner"))])
    assert [len(group.members) for group in found] == [1, 40]
    assert found[0].name == "text changed at 3,4"
    assert found[1].name == "Text changed in the header"


def test_a_screenshot_with_anything_of_its_own_is_alone_and_named_by_the_group() -> None:
    pages = [shot(f"page {number}", part("header", HEADER)) for number in range(3)]
    odd = shot("page 9", part("header", HEADER), part("own 1"), part("own 2"))
    alone, group = group_changes([*pages, odd])
    assert alone.members == ("page 9",)
    assert alone.name == "Text changed in the header, and 2 more changes only here"
    assert (group.members, group.remainders) == (("page 0", "page 1", "page 2"), ("page 9",))


def test_a_group_comes_after_what_is_rarer_and_severity_orders_equally_rare_ones() -> None:
    many = [shot(f"many {number}", part("many"), severity=0.9) for number in range(3)]
    few = [shot(f"few {number}", part("few"), severity=0.1) for number in range(2)]
    single = shot("single", part("single"), severity=0.2)
    worse = shot("worse", part("worse"), severity=0.3)
    bar = shot("bar", part("thumb", what=SCROLLBAR), kind="scrollbar")
    found = group_changes([*many, bar, *few, single, worse])
    assert [group.members[0] for group in found] == ["worse", "single", "few 0", "many 0", "bar"]


def test_too_many_parts_to_tell_stay_alone() -> None:
    unknown = replace(ANALYSIS, signature=Signature(None))
    shots = [replace(shot(name), analysis=unknown) for name in ("one", "two")]
    assert members_of(group_changes(shots)) == [("one",), ("two",)]


def test_different_combinations_of_causes_are_different_groups() -> None:
    shots = [shot(f"a {number}", part("header")) for number in range(3)]
    shots += [shot(f"b {number}", part("header"), part("icon")) for number in range(2)]
    assert members_of(group_changes(shots)) == [("b 0", "b 1"), ("a 0", "a 1", "a 2")]
    # No group hides a cause missing in one of its members.
    shots[-1:] = [shot("c 0", part("icon"))]
    assert members_of(group_changes(shots)) == [("b 0",), ("c 0",), ("a 0", "a 1", "a 2")]


def recolored(content: str, colors: tuple[str, str] = BRAND) -> Part:
    return replace(part(content, HEADER, "#0b6e4f to #7a1f5c"), recolored=colors)


def test_an_element_of_another_color_is_shared_though_its_text_differs() -> None:
    pages = [shot(f"page {number}", recolored(f"name {number}")) for number in range(3)]
    (group,) = group_changes(pages)
    assert group.name == "#0b6e4f is now #7a1f5c"
    assert len(group_changes(pages[:2])) == 2
    other = shot("other", recolored("name 9", (BRAND[0], "#000000")))
    assert [len(group.members) for group in group_changes([*pages, other])] == [1, 3]


def test_a_move_is_shared_by_three_or_by_a_family() -> None:
    pages = [shot(f"page {number}", moves=[moved(0, 16, 40)], grown=16) for number in range(3)]
    (group,) = group_changes(pages)
    assert group.name == "Header taller by 16 px"
    assert len(group_changes(pages[:2])) == 2
    alike = [replace(page, family="Page") for page in pages[:2]]
    assert members_of(group_changes(alike)) == [("page 0", "page 1")]


def test_a_move_of_its_own_is_a_change_of_its_own() -> None:
    pages = [shot(f"page {number}", moves=[moved(0, 16)]) for number in range(3)]
    odd = shot("page 9", moves=[moved(0, 16), moved(1, 0)])
    alone, _ = group_changes([*pages, odd])
    assert (alone.members, alone.name) == (
        ("page 9",),
        "Header taller by 16 px, and 1 more change only here",
    )


def test_a_move_that_the_cause_does_not_bring_is_a_change_of_its_own() -> None:
    pages = [shot(f"page {number}", part("header", HEADER)) for number in range(20)]
    lower = [
        shot(f"lower {number}", part("header", HEADER), moves=[moved(0, 1)]) for number in range(3)
    ]
    found = group_changes([*pages, *lower])
    assert [len(group.members) for group in found] == [1, 1, 1, 20]
    assert len(found[-1].remainders) == 3


def test_growth_that_moved_content_does_not_explain_is_another_cause() -> None:
    pages = [
        shot(f"page {number}", part("header", HEADER), moves=[moved(0, 16)], grown=16)
        for number in range(20)
    ]
    higher = [
        shot(f"higher {number}", part("header", HEADER), moves=[moved(0, 16)], grown=17)
        for number in range(3)
    ]
    found = group_changes([*pages, *higher])
    assert [len(group.members) for group in found] == [3, 20]


def test_a_page_that_filled_the_window_before_grows_by_less() -> None:
    pages = [shot(f"page {number}", moves=[moved(0, 16)], grown=16) for number in range(3)]
    (group,) = group_changes([*pages, shot("short", moves=[moved(0, 16)], grown=6)])
    assert len(group.members) == 4
    assert len(group_changes([*pages, shot("long", moves=[moved(0, 16)], grown=30)])) == 2


def test_the_scrollbar_is_of_no_account_next_to_anything_else() -> None:
    bars = [part(f"thumb {number}", what=SCROLLBAR) for number in range(3)]
    pages = [shot(f"page {number}", part("header"), bar) for number, bar in enumerate(bars)]
    assert len(group_changes(pages)) == 1
    (group,) = group_changes([shot(each.digest, each, kind="scrollbar") for each in bars])
    assert group.name == "Scrollbar changed"


def test_nothing_left_is_no_scrollbar_that_differs() -> None:
    shots = [shot(name) for name in ("one", "two")]
    assert members_of(group_changes(shots)) == [("one",), ("two",)]


def test_sentences_without_places_are_names() -> None:
    for sentence, name in (
        (
            "content in 39x10 at 649,194 moved right by 3 px; text differs at 1,2",
            "Content moved right by 3 px",
        ),
        ("content below y=1,247 moved down by 1 px", "Content moved down by 1 px"),
        ("text changed at 748,530 and 1 more place", "Text changed"),
        (
            "only colors: #e0a184 to #d2503a and 1 more",
            "Only colors: #e0a184 to #d2503a and 1 more",
        ),
    ):
        assert name_summary(sentence) == name


def test_names_have_no_sizes() -> None:
    what = "region 121x23 became one color"
    (group,) = group_changes([shot(name, part("same", what=what)) for name in ("one", "two")])
    assert group.name == "Region became one color"


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["", "a", "b", "ab", "c", "ac!"]), max_size=12), st.randoms())
def test_every_screenshot_is_in_one_group_in_any_order(
    contents: list[str], rng: random.Random
) -> None:
    shots = [
        shot(
            f"story {index}",
            *(part(each if each != "!" else f"own {index}") for each in content),
            family=f"family {index % 3}",
            moves=[moved(0, index % 2)] if index % 4 else (),
        )
        for index, content in enumerate(contents)
    ]
    found = group_changes(shots)
    assert sorted(key for group in found for key in group.members) == sorted(
        each.key for each in shots
    )
    assert len({group.key for group in found}) == len(found)
    # A part of only one screenshot is in no group.
    own = {each.key for each, content in zip(shots, contents, strict=True) if "!" in content}
    assert all(len(group.members) == 1 for group in found if own.intersection(group.members))
    rng.shuffle(shots)
    assert group_changes(shots) == found


def test_a_group_keeps_its_key_when_another_screenshot_joins_or_changes() -> None:
    shots = [shot("one", part("same")), shot("two", part("same"))]
    (alone,) = group_changes(shots)
    third = shot("three", part("same"))
    (joined,) = group_changes([*shots, third])
    other, same = group_changes([*shots, shot("three", part("other"))])
    assert alone.key == joined.key == same.key != other.key
