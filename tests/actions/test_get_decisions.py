"""get_decisions: all decisions, by whom, with comments and evidence."""

from unittest.mock import patch

import pytest

from tests.support.api_reviewers import agent_of, call, look_at, review
from tests.support.deciding import decide, undo
from tests.support.personas import Personas
from tests.support.worlds import (
    BuildInReview,
    build_with_each_state,
)
from visual_review.actions.extended import get_decisions
from visual_review.kernel.errors import InvalidInputError, NotFoundError


def test_decisions_of_programs_and_people_are_read_back(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    look_at(agent, world.shot(build, "card--a"), scale=0.5)
    review(
        agent,
        build,
        {"state": "approved", "stories": ["card--a", "card--b"]},
        {"state": "rejected", "stories": ["card--c"], "comment": "Too green"},
    )
    decide(personas.alice, build, "approved", shots=["card--d"])
    found = call(agent, "get_decisions", buildId=build.id)
    assert (found.approved, found.rejected, found.open_screenshots) == (3, 1, 1)
    assert (found.approved_unseen, found.decision, found.next_cursor) == (1, None, None)
    by_story = {each.story_id: each for each in found.decisions}
    first, second = by_story["card--a"].evidence, by_story["card--b"].evidence
    assert first.summary == "looked at before and after at 50%"
    assert (first.client, first.version, len(first.images)) == ("Claude Code", "2.1.0", 1)
    assert (second.summary, second.images) == ("without a look at what changed", [])
    assert by_story["card--c"].comment == "Too green"
    assert (by_story["card--d"].by, by_story["card--d"].evidence) == ("Alice", None)
    assert by_story["card--a"].number == world.shot(build, "card--a").number


def test_the_decision_on_the_build_has_its_program(personas: Personas) -> None:
    _, build = build_with_each_state(personas.bob)
    agent = agent_of(personas.bob)
    call(agent, "reject_build", buildId=build.id)
    found = call(agent, "get_decisions", buildId=build.id).decision
    assert (found.review_state, found.by, found.source) == ("rejected", "Bob", "mcp")
    assert (found.client, found.version) == ("Claude Code", "2.1.0")


def test_what_was_undone_is_not_the_evidence(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    review(agent, build, {"state": "approved", "stories": ["card--a"]})
    done = decide(personas.alice, build, "rejected", shots=["card--a"], confirmed=["override"])
    assert call(agent, "get_decisions", buildId=build.id).decisions[0].evidence is None
    undo(personas.alice, build, done.decision_id)
    found = call(agent, "get_decisions", buildId=build.id)
    assert found.decisions[0].evidence.summary == "without a look at what changed"
    assert found.approved_unseen == 1


def test_a_repeated_approval_after_a_look_is_no_longer_unseen(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    review(agent, build, {"state": "approved", "stories": ["card--a"]})
    review(agent, build, {"state": "cleared", "stories": ["card--a"]})
    look_at(agent, world.shot(build, "card--a"))
    result = review(agent, build, {"state": "approved", "stories": ["card--a"]})
    assert result.unseen_screenshots == []
    assert call(agent, "get_decisions", buildId=build.id).approved_unseen == 0


def test_every_decision_is_on_exactly_one_page(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    call(agent, "approve_all_screenshots", buildId=build.id)
    # An unchanged screenshot is listed only for a comment on it.
    decide(personas.alice, build, "rejected", shots=["same--a"], confirmed=["override"])
    stories, cursor = [], ""
    with patch.object(get_decisions, "DECISIONS_AT_ONCE", 2):
        for _ in range(3):
            page = call(agent, "get_decisions", buildId=build.id, cursor=cursor)
            stories += [each.story_id for each in page.decisions]
            cursor = page.next_cursor or ""
    assert cursor == ""
    assert stories[-1] == "same--a"
    assert sorted(stories) == ["card--a", "card--b", "card--c", "card--d", "menu--a", "same--a"]


def test_another_cursor_is_an_error(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    for cursor in ("x", "-1", "9" * 40, "shot_x", "\u0661"):
        with pytest.raises(InvalidInputError, match="cursor"):
            call(agent_of(personas.bob), "get_decisions", buildId=build.id, cursor=cursor)


def test_viewers_may_read_and_others_not(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    assert call(agent_of(personas.carol), "get_decisions", buildId=build.id).decisions == []
    with pytest.raises(NotFoundError):
        call(agent_of(personas.mallory), "get_decisions", buildId=build.id)
