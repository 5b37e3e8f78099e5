"""Texts for models about the stories of a build, groups of changes and the progress of a review."""

from tests.support.case import Case
from tests.support.mcp.results import (
    HOSTILE,
    decided,
    full_build,
    render_checked,
    screenshot,
    screenshots,
)
from visual_review.actions.build_results import DeciderResult
from visual_review.actions.screenshot_results import GroupResult, ScreenshotResult
from visual_review.api.mcp.rendering.builds import (
    BUDGET,
    group_by_story,
    list_groups,
    list_names,
    list_stories,
    write_brief_line,
    write_line,
)
from visual_review.api.mcp.rendering.review_progress import (
    DecisionCounts,
    ReviewProgress,
    describe_decision,
    describe_progress,
)
from visual_review.api.mcp.rendering.truncation import count_tokens

FIRST, SECOND = f"shot_{0:026d}", f"shot_{1:026d}"

CARRIED = "approved as carried over from an earlier build"


def test_variants_that_changed_alike_are_grouped() -> None:
    shots = [screenshot(0, "button--primary"), screenshot(1, "button--primary")]
    assert write_line("button--primary", shots) == (
        f'- "button--primary": changed 1.23 %: light/phone {FIRST}, light/tablet {SECOND}'
    )


def test_shares_that_differ_stand_at_their_variant() -> None:
    shots = [screenshot(0, "b", diff_ratio=0.5), screenshot(1, "b", diff_ratio=0.25)]
    assert write_line("b", shots) == (
        f'- "b": changed: light/phone 50.00 % {FIRST}, light/tablet 25.00 % {SECOND}'
    )


def test_states_of_one_story_stand_in_one_line() -> None:
    shots = [screenshot(0, "b"), screenshot(1, "b", "new")]
    assert write_line("b", shots) == (
        f'- "b": changed 1.23 %: light/phone {FIRST}; new: light/tablet {SECOND}'
    )


def test_a_decision_shows_who_and_why() -> None:
    by = decided("Bob", "mcp", "Claude Code")
    shot = screenshot(0, "b", review_decision="rejected", decided=by, comment="Too\nwide")
    assert write_line("b", [shot]) == (
        '- "b": changed 1.23 % rejected by "Bob" through "Claude Code" with the comment '
        f'"Too\\nwide": light/phone {FIRST}'
    )


def test_an_image_that_was_the_baseline_before_says_so() -> None:
    shot = screenshot(0, "b", matches_former_baseline=True)
    assert "changed 1.23 % (was this branch's baseline before): " in write_line("b", [shot])


def test_a_story_in_brief_is_its_counts_and_one_id() -> None:
    shots = [screenshot(0, "b"), screenshot(1, "b"), screenshot(2, "b", "new")]
    assert write_brief_line("b", shots) == f'- "b": 2 changed, 1 new (light/phone {FIRST})'


def test_lines_are_whole_then_brief_then_counted() -> None:
    lines = list(list_stories(group_by_story(screenshots(f"s-{n}" for n in range(100))), 500, 200))
    whole = [line for line in lines if line.count("shot_") == 4]
    brief = [line for line in lines if line.count("shot_") == 1]
    assert lines[: len(whole)] == whole
    assert lines[len(whole) : -1] == brief
    left = 100 - len(whole) - len(brief)
    assert len(whole) > 1
    assert len(brief) > 1
    assert lines[-1] == f"- and {left} more stories ({left * 4} screenshots), on the page"


def test_a_hostile_story_is_one_printable_line(case: Case) -> None:
    for hostile in HOSTILE:
        with case(repr(hostile)[:40]):
            story = hostile[:300].replace("\0", "")
            shot = screenshot(0, story, "failed", message=hostile)
            for line in (
                write_line(story, [shot]),
                write_brief_line(story, [shot]),
                list_names([shot], 100),
            ):
                assert line.isprintable()


def test_many_stories_are_named_up_to_a_number() -> None:
    text = list_names(screenshots(f"s-{n}" for n in range(30)), 20)
    assert text == '"s-0" (4), "s-1" (4), and 28 more stories'


DECIDERS = [
    (decided("Alice"), 'approved by "Alice"'),
    (decided("Alice", "mcp", "Claude Code"), 'approved by "Alice" through "Claude Code"'),
    (decided("Alice", "mcp"), 'approved by "Alice" through an MCP client'),
    (decided("CI", "api_key"), 'approved by "CI" with an API key'),
    (
        decided("Alice", "carried_over", "Cursor"),
        f'{CARRIED}, first approved by "Alice" through "Cursor"',
    ),
    (decided("", "carried_over"), CARRIED),
    (decided('A"\nB'), r'approved by "A\"\nB"'),
]


def test_who_decided_is_named_with_the_client(case: Case) -> None:
    for by, expected in DECIDERS:
        with case(expected):
            assert describe_decision("approved", DeciderResult.model_validate(by)) == expected


def test_an_undecided_screenshot_names_no_one() -> None:
    assert describe_decision("not required", None) == "not required"


def test_an_earlier_comment_is_shown_where_the_current_decision_has_none(case: Case) -> None:
    earlier = {"comment": "Too red", "decision": "rejected", "decided": decided("Bob")}
    for comment, shown in ((None, True), ("Fine", False)):
        with case(comment):
            shot = screenshot(0, "b", comment=comment, earlier_comment=earlier)
            line = write_line("b", [shot])
            assert ('(earlier rejected by "Bob" with the comment "Too red")' in line) == shown


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


OPEN = {("changed", ""): 2, ("new", "approved"): 2, ("changed", "rejected"): 1}


def describe(counts: DecisionCounts, status: str = "completed", review: str = "unreviewed") -> str:
    return " ".join(describe_progress(status, review, ReviewProgress.of(counts)))


def test_undecided_screenshots_are_counted_out_of_all_changed_and_new_ones() -> None:
    assert describe({("changed", ""): 2, ("new", "approved"): 3}) == (
        "2 of 5 changed or new screenshots are still undecided."
    )


def test_rejected_screenshots_are_counted_next_to_undecided_ones() -> None:
    assert describe(OPEN) == "2 of 5 changed or new screenshots are still undecided, 1 rejected."


def test_rejected_screenshots_alone_say_what_they_prevent() -> None:
    assert "1 of 3 changed or new screenshots is rejected, which keeps the build from being" in (
        describe({("changed", "rejected"): 1, ("new", "approved"): 2})
    )


def test_failures_name_the_tool_that_accepts_them() -> None:
    text = describe({("changed", "approved"): 1, ("failed", ""): 2})
    assert text.startswith("All 1 changed or new screenshots are approved. 2 failed")
    assert "only approve_build can finalize" in text


def test_removals_are_accepted_with_the_last_approval() -> None:
    assert describe({("new", ""): 1, ("removed", ""): 3}).endswith(
        "Undecided removals (3) are accepted with the last changed or new one."
    )


def test_removals_alone_must_be_approved() -> None:
    assert describe({("removed", ""): 1, ("removed", "approved"): 2}) == (
        "1 of 3 removed screenshots is still undecided; approving all of them approves the build."
    )


UNDECIDABLE = [
    ("processing", "unreviewed", "Call get_build again"),
    ("uploading", "unreviewed", "Call get_build again"),
    ("failed", "unreviewed", "Publish it again"),
    ("expired", "unreviewed", "Publish it again"),
    ("completed", "not_required", "nothing to decide"),
    ("completed", "approved", "nothing is left to decide"),
]


def test_a_build_that_cannot_be_decided_says_why(case: Case) -> None:
    for status, review, expected in UNDECIDABLE:
        with case(f"{status}, {review}"):
            assert expected in describe(OPEN, status, review)
