"""Reviewing over MCP and REST: who decided with which client, and texts that always fit."""

import json
from typing import Any, Final

import pytest

from tests.support.api_keys import call, user_key
from tests.support.api_reviewers import agent_of, look_at, review_payload
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint, ProtocolVersion
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview
from visual_review.accounts.models import ApiKey
from visual_review.actions.extended.get_decisions import Result, ShotDecisionResult
from visual_review.api.mcp.rendering.decision_lists import render_decisions
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.models import ReviewEntry, Screenshot

# Decisions on a page, with the longest possible texts.
MOST: Final = 60
REVIEW: Final = {"state": "approved", "stories": ["card--a"]}


def evidence_on(story: str) -> Any:  # noqa: ANN401 - JSON.
    """Return the evidence of the newest decision on the story."""
    entries = ReviewEntry.objects.filter(story_id=story).order_by("-id")
    return entries.values_list("evidence", flat=True)[0]


def text_of(result: dict[str, Any]) -> str:
    assert "structuredContent" not in result
    (block,) = result["content"]
    return str(block["text"])


def test_the_handshake_names_the_version_of_all_later_calls(
    endpoint: Endpoint, grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    key = user_key(personas.bob)
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "title": "Claude Code", "version": "2.1.7"},
    }
    begun = endpoint.ask(key, "initialize", handshake)
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    payload = {"name": "review_changes", "arguments": review_payload(build, REVIEW)}
    response = endpoint.ask(key, "tools/call", payload, **session)
    assert "isError" not in response.json()["result"] or not response.json()["result"]["isError"]
    expected = {"client": "Claude Code", "version": "2.1.7", "images": []}
    assert evidence_on("card--a") == expected


def test_newer_messages_name_it_themselves(
    endpoint: Endpoint, grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    key, payload = user_key(personas.bob), review_payload(build, REVIEW)
    endpoint.call(key, "review_changes", payload, "2026-07-28")
    assert evidence_on("card--a") == {"client": "Test Robot", "version": "1", "images": []}


def test_rest_names_its_user_agent(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    key = user_key(personas.bob)
    shot = world.shot(build, "card--a")
    look_at(agent_of(personas.bob, ApiKey.objects.get().pk), shot)
    payload = {"screenshotId": shot.id, "state": "approved"}
    response = call(key, "review_screenshot", payload, HTTP_USER_AGENT="reviewer/3.2 (linux)")
    assert response.status_code == 200
    evidence = evidence_on("card--a")
    assert (evidence["client"], evidence["version"]) == ("reviewer", "3.2")
    assert [image["form"] for image in evidence["images"]] == ["composite"]
    # The published results name MCP clients only.
    found = json.loads(call(key, "get_build", {"buildId": build.id}).content)["result"]["build"]
    shots = {each["id"]: each for each in found["screenshots"]}
    assert shots[shot.id]["decided"]["client"] is None


@pytest.mark.parametrize("version", PROTOCOL_VERSIONS)
def test_both_texts_say_what_was_done(
    endpoint: Endpoint, grouped: BuildInReview, personas: Personas, version: ProtocolVersion
) -> None:
    world, build = grouped
    key = user_key(personas.bob)
    number = world.shot(build, "menu--a").number
    decisions = [REVIEW, {"state": "rejected", "screenshots": [f"#{number}"], "comment": 'No\n"x"'}]
    text = text_of(endpoint.call(key, "review_changes", review_payload(build, *decisions), version))
    assert text.startswith(f"2 screenshots decided. Build {build.id} is unreviewed; no baseline")
    assert "1 screenshot approved (decision 1)." in text
    assert (
        f"without a look at what changed, and marked so for people: #{world.shot(build, 'card--a').number}."
        in text
    )
    assert '3 screenshots still undecided; list_changes with decision "undecided"' in text
    text = text_of(endpoint.call(key, "get_decisions", {"buildId": build.id}, version))
    assert f'- #{number} "menu--a" light/desktop' in text
    assert r'comment "No\n\"x\""' in text
    assert "1 approved, 1 rejected, 3 undecided. 1 approved without a look" in text


def test_an_error_is_a_result_that_says_what_to_do(
    endpoint: Endpoint, grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    stories = ["card--a", "card--b", "card--c", "card--d", "menu--a"]
    payload = review_payload(build, {"state": "approved", "stories": stories})
    result = endpoint.call(user_key(personas.bob), "review_changes", payload)
    assert result["isError"]
    assert 'with "finalize" in confirmed' in text_of(result)
    assert not ReviewEntry.objects.filter(build=build, decision="approved").exists()


def decided(number: int, story: str, comment: str) -> ShotDecisionResult:
    shot = Screenshot(
        id=f"shot_{number:026}",
        number=number,
        story_id=story,
        theme="light",
        device="desktop",
        diff_state="changed",
        review_decision="rejected",
        decided_by_name="Bob",
        decision_source="mcp",
        comment=comment,
    )
    return ShotDecisionResult.of(shot, {"client": "x", "version": "1", "images": []})


@pytest.mark.parametrize(
    ("story", "comment"),
    [("card--a", ""), ("\u56fe" * 300, "\u56fe" * 10_000), ("s" * 300, "No")],
)
def test_no_text_is_too_long_and_the_rest_comes_with_its_cursor(
    personas: Personas, story: str, comment: str
) -> None:
    listed = [
        decided(number, story, comment and f"{number} {comment}") for number in range(1, MOST)
    ]
    shown: list[int] = []
    while listed:
        text = render_decisions(page_with(listed), personas.bob.caller)
        assert count_tokens(text) <= 10_000
        shown += [int(line.split()[1][1:]) for line in text.splitlines() if line[:3] == "- #"]
        cursor = text.partition('with cursor "')[2].partition('"')[0]
        listed = [each for each in listed if cursor and (each.number or 0) > int(cursor)]
    assert shown == list(range(1, MOST))


def page_with(listed: list[ShotDecisionResult]) -> Result:
    return Result(
        build_id="build_x",
        build_number=1,
        status="completed",
        review_state="unreviewed",
        decision=None,
        approved=0,
        rejected=len(listed),
        open_screenshots=0,
        removals_open=0,
        approved_unseen=0,
        decisions=listed,
        threads=[],
        next_cursor=None,
    )
