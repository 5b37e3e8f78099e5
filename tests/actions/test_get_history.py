"""get_history: the states of a story in the last builds."""

from unittest.mock import patch

import pytest

from tests.support.api_reviewers import agent_of, call
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview
from visual_review.api.mcp.rendering import histories
from visual_review.api.mcp.rendering.histories import render_history
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.models import Screenshot
from visual_review.builds.reviewing import story_versions
from visual_review.kernel.errors import InvalidInputError, NotFoundError


def test_changes_decisions_and_unstable_captures_are_listed(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    shot = world.shot(build, "card--a")
    call(agent, "review_screenshot", screenshotId=shot.id, state="rejected", comment="No")
    again = world.publish({"card--a": "red", "menu--a": "white"})
    Screenshot.objects.filter(build=again, story_id="card--a").update(unstable="It moved.")
    found = call(agent, "get_history", repoId=world.repository.id, storyId="card--a")
    assert [(entry.build_number, entry.diff_state) for entry in found.entries] == [
        (3, "unchanged"),
        (2, "changed"),
        (1, "new"),
    ]
    assert [entry.number for entry in found.entries][:2] == [None, shot.number]
    assert found.entries[0].unstable == "It moved."
    decision = found.entries[1].decision
    assert (decision.decision, decision.comment, decision.by) == ("rejected", "No", "Bob")
    assert decision.evidence.images == []
    assert (found.searched_builds, found.next_cursor) == (3, None)
    assert (found.flakiness[0].captures, found.flakiness[0].unstable) == (3, 1)
    text = render_history(found, agent)
    assert f'- build 2 ({build.id}, "main", ' in text
    assert 'rejected by "Bob" through "Claude Code 2.1.0" (without a look' in text
    assert "Flaky light/desktop: of 3 captures, 1 were unstable" in text


def test_pages_hold_every_entry_once(grouped: BuildInReview, personas: Personas) -> None:
    world, _ = grouped
    for color in ("blue", "white", "green", "blue"):
        world.publish({"card--a": color})
    agent, numbers, cursor = agent_of(personas.bob), [], ""
    with patch.object(story_versions, "BUILDS_AT_ONCE", 2):
        for _ in range(3):
            page = call(
                agent,
                "get_history",
                repoId=world.repository.id,
                storyId="card--a",
                limit=2,
                cursor=cursor,
            )
            numbers += [entry.build_number for entry in page.entries]
            cursor = page.next_cursor or ""
    assert (numbers, cursor) == ([6, 5, 4, 3, 2, 1], "")


def test_a_text_ends_earlier_with_the_cursor_of_the_rest(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, _ = grouped
    world.publish({"card--a": "blue"})
    agent = agent_of(personas.bob)
    found = call(agent, "get_history", repoId=world.repository.id, storyId="card--a")
    most = count_tokens(render_history(found, agent)) - 1
    with patch.object(histories, "MOST_TOKENS", most):
        text = render_history(found, agent)
    assert 'get_history with cursor "2"' in text
    assert [line.split()[2] for line in text.splitlines() if line[:8] == "- build "] == ["3", "2"]


def test_a_variant_alone_can_be_asked_for(grouped: BuildInReview, personas: Personas) -> None:
    world, _ = grouped
    payload = {"repoId": world.repository.id, "storyId": "card--a", "theme": "dark"}
    found = call(agent_of(personas.bob), "get_history", **payload)
    assert (found.entries, found.flakiness) == ([], [])


def test_what_does_not_exist_is_said(grouped: BuildInReview, personas: Personas) -> None:
    world, _ = grouped
    repo = {"repoId": world.repository.id}
    agent = agent_of(personas.bob)
    with pytest.raises(NotFoundError, match="story with this id"):
        call(agent, "get_history", **repo, storyId="nothing")
    with pytest.raises(NotFoundError, match="no product 'x'"):
        call(agent, "get_history", **repo, storyId="card--a", productKey="x")
    with pytest.raises(InvalidInputError, match="cursor"):
        call(agent, "get_history", **repo, storyId="card--a", cursor="x")
    with pytest.raises(NotFoundError):
        call(agent_of(personas.mallory), "get_history", **repo, storyId="card--a")
