"""Screenshots as lines: one per story, what is alike only once, with ids."""

from tests.support.case import Case
from tests.support.mcp.results import HOSTILE, decided, screenshot, screenshots
from visual_review.actions.build_results import DeciderResult
from visual_review.api.mcp.rendering.deciders import describe_decision
from visual_review.api.mcp.rendering.stories import (
    group_by_story,
    list_names,
    list_stories,
    write_brief_line,
    write_line,
)

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
