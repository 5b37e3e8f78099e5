"""Groups in the text of get_build: what changed alike, in few tokens."""

from tests.support.case import Case
from tests.support.mcp.results import HOSTILE, full_build, render_checked, screenshot
from visual_review.actions.change_results import GroupResult
from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.api.mcp.rendering.builds import BUDGET, list_groups
from visual_review.api.mcp.rendering.truncation import count_tokens


def group(number: int, name: str = "text changed", **more: object) -> GroupResult:
    fields: dict[str, object] = {
        "id": f"group_{number}",
        "name": name,
        "kind": "text",
        "screenshot_count": 2,
        "remainder_ids": [],
    }
    return GroupResult.model_validate({**fields, **more})


def members(number: int, count: int = 2) -> list[ScreenshotResult]:
    return [
        screenshot(number * 100 + place, f"card--{place}", group_id=f"group_{number}")
        for place in range(count)
    ]


def test_a_group_names_a_few_stories_and_who_differs() -> None:
    shots = members(1, 5)
    odd = screenshot(7, "card--odd", group_id="group_2")
    found = group(1, remainder_ids=[odd.id, "shot_decided"])
    assert list(list_groups([found, group(2)], [*shots, odd])) == [
        (
            '- 5 alike (text): "text changed": "card--0", "card--1", "card--2" and 2 more stories; '
            '2 with more changes: "card--odd" dark/tablet'
        )
    ]


def test_what_is_alone_is_no_group() -> None:
    assert list(list_groups([group(1), group(2)], members(1, 1))) == []


def test_many_groups_are_counted() -> None:
    groups = [group(number, "name " * 20) for number in range(90)]
    shots = [shot for number in range(90) for shot in members(number)]
    *lines, last = list_groups(groups, shots)
    assert sum(map(count_tokens, lines)) <= BUDGET
    assert last == f"- and {90 - len(lines)} more groups"


def test_a_build_of_many_groups_fits_into_a_result(case: Case) -> None:
    for text in HOSTILE:
        with case(repr(text)[:40]):
            ids = [f"shot_{number:026d}" for number in range(300)]
            groups = [group(number, text[:900], remainder_ids=ids) for number in range(300)]
            shots = [shot for number in range(300) for shot in members(number)]
            built = full_build(shots, groups=[each.model_dump() for each in groups])
            rendered = render_checked(built, "get_build")
            assert all(line.isprintable() for line in rendered.text.splitlines())
            assert "Undecided and alike:" in rendered.text


def test_changed_areas_are_left_out_with_the_image_urls() -> None:
    change = {
        "kind": "text", "x": 1, "y": 2, "width": 3, "height": 4, "pixels": 5,
        "description": "text changed", "colors": {"before": "#000000", "after": "#ffffff"},
    }  # fmt: skip
    few = render_checked(full_build([screenshot(0, "a", changes=[change])]), "get_build")
    shown = few.structured["build"]["screenshots"][0]["changes"]
    assert shown == [{**change, "movedBy": None, "contrast": None}]
    shots = [screenshot(number, f"s-{number}", changes=[change] * 10) for number in range(30)]
    many = render_checked(full_build(shots), "get_build").structured
    assert all(shot["changes"] == [] for shot in many["build"]["screenshots"])
    assert "the image URLs and changed areas" in many["leftOut"]
