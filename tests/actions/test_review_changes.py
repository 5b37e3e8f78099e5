"""review_changes: several decisions in one request."""

from typing import Any

import pytest

from tests.support.api_reviewers import agent_of, call, look_at, review, review_payload
from tests.support.case import Case
from tests.support.deciding import decide, group_with
from tests.support.personas import Personas
from tests.support.worlds import (
    BuildInReview,
    build_with_each_state,
)
from visual_review.actions.extended.decision_input import format_seen
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import BaselineVersion, Build, DecisionBatch, ReviewEntry
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    VisualReviewError,
)

CARDS = ["card--a", "card--b", "card--c"]


@pytest.fixture
def each(personas: Personas) -> BuildInReview:
    """Stories ``same``, ``other`` (changed), ``more`` (new), ``gone`` (removed), ``broken``."""
    return build_with_each_state(personas.bob)


def numbers(review_of: BuildInReview, *stories: str) -> list[str]:
    world, build = review_of
    return [f"#{world.shot(build, story).number}" for story in stories]


def states_of(review_of: BuildInReview) -> dict[str, str]:
    world, build = review_of
    return world.states(build)


def approve(**selection: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    return {"state": "approved", **selection}


def reject(**selection: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    return {"state": "rejected", **selection}


def test_numbers_ids_groups_and_stories_are_decided_together(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    group = f"G{group_with(build, 'card--a').number}"
    result = review(
        agent,
        build,
        approve(groups=[group]),
        reject(screenshots=[world.shot(build, "card--d").id], comment="Too blue"),
    )
    assert [(one.outcome, one.decided_screenshots) for one in result.decisions] == [
        ("decided", 3),
        ("decided", 1),
    ]
    assert (result.open_screenshots, result.finalized) == (1, False)
    states = states_of(grouped)
    assert [states[story] for story in CARDS] == ["changed approved"] * 3
    assert states["card--d"] == "changed rejected"
    assert world.shot(build, "card--d").comment == "Too blue"
    again = review(agent, build, reject(stories=["menu--a"]), seen=result.seen)
    assert (again.open_screenshots, states_of(grouped)["menu--a"]) == (0, "changed rejected")


def test_a_story_leaves_its_removed_screenshots_out(
    each: BuildInReview, personas: Personas
) -> None:
    agent = agent_of(personas.bob)
    _, build = each
    result = review(agent, build, reject(stories=["gone", "other"]))
    assert result.decided_screenshots == 1
    assert (states_of(each)["gone"], states_of(each)["other"]) == ("removed", "changed rejected")
    payload = review_payload(build, reject(stories=["gone"]))
    error = error_of_call(ConflictError, agent, payload)
    assert "no changed or new" in str(error)


def test_each_decision_has_an_audit_entry(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    review(
        agent_of(personas.bob),
        build,
        approve(stories=["card--a", "card--b"]),
        reject(screenshots=numbers(grouped, "menu--a"), comment="No"),
    )
    entries = AuditEntry.objects.filter(verb__startswith="screenshot", channel="mcp")
    found = {entry.verb: entry for entry in entries}
    assert set(found) == {"screenshots.approved", "screenshot.rejected"}
    assert found["screenshots.approved"].after["storyIds"] == ["card--a", "card--b"]
    assert found["screenshot.rejected"].target_id == world.shot(build, "menu--a").id
    assert found["screenshot.rejected"].after["comment"] == "No"


def test_the_same_request_has_one_effect(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    payload = review_payload(build, approve(stories=["card--a"]), reject(stories=["card--b"]))
    first = call(agent, "review_changes", **payload)
    written = (ReviewEntry.objects.count(), AuditEntry.objects.count())
    # Seen and confirmed screenshots are no part of the repeated request.
    again = call(agent, "review_changes", **{**payload, "confirmed": ["override"], "seen": ""})
    assert [one.outcome for one in again.decisions] == ["repeated", "repeated"]
    assert again.decided_screenshots == first.decided_screenshots == 2
    assert (ReviewEntry.objects.count(), AuditEntry.objects.count()) == written
    assert DecisionBatch.objects.filter(build=build).count() == 2


def test_a_repeated_request_does_not_decide_again_what_others_decided_since(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    payload = review_payload(build, approve(screenshots=numbers(grouped, "card--a")))
    call(agent_of(personas.bob), "review_changes", **payload)
    decide(personas.alice, build, "rejected", shots=["card--a"])
    call(agent_of(personas.bob), "review_changes", **payload)
    assert world.shot(build, "card--a").decided_by_name == "Alice"


def test_a_request_id_of_other_decisions_is_a_conflict(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    payload = review_payload(build, approve(stories=["card--a"]), approve(stories=["card--b"]))
    call(agent, "review_changes", **payload)
    for decisions in (
        [approve(stories=["card--a"])],
        [approve(stories=["card--a"]), approve(stories=["card--b"], comment="x")],
        [approve(stories=["card--b"]), approve(stories=["card--a"])],
    ):
        error = error_of_call(ConflictError, agent, {**payload, "decisions": decisions})
        assert "already used" in str(error)


def error_of_call(
    kind: type[VisualReviewError],
    agent: Any,  # noqa: ANN401 - A caller.
    payload: dict[str, Any],
) -> VisualReviewError:
    """Return the error of a request that must change nothing."""
    models = (ReviewEntry, AuditEntry, DecisionBatch)
    before = [model.objects.count() for model in models]
    with pytest.raises(kind) as caught:
        call(agent, "review_changes", **payload)
    assert [model.objects.count() for model in models] == before
    return caught.value


def test_one_impossible_decision_undoes_all_by_default(
    each: BuildInReview, personas: Personas
) -> None:
    _, build = each
    payload = review_payload(
        build,
        reject(stories=["other"]),
        approve(screenshots=numbers(each, "broken")),
        approve(screenshots=["#999"]),
    )
    error = error_of_call(VisualReviewError, agent_of(personas.bob), payload)
    assert str(error).startswith("Nothing was decided. Decision 2: This screenshot failed")
    assert "decision 3: " in str(error)
    assert "#999" in str(error)
    assert states_of(each)["other"] == "changed"


def test_or_it_alone_is_left_out(each: BuildInReview, personas: Personas) -> None:
    _, build = each
    agent = agent_of(personas.bob)
    decisions = [
        approve(screenshots=numbers(each, "broken")),
        reject(stories=["other"], comment="No"),
        approve(screenshots=["#999"]),
    ]
    payload = review_payload(build, *decisions, atomic=False)
    result = call(agent, "review_changes", **payload)
    assert [one.outcome for one in result.decisions] == ["conflict", "decided", "conflict"]
    assert "failed" in result.decisions[0].error
    assert states_of(each)["other"] == "changed rejected"
    # Sent again, only the open parts are tried again.
    again = call(agent, "review_changes", **payload)
    assert [one.outcome for one in again.decisions] == ["conflict", "repeated", "conflict"]


def test_no_screenshot_is_in_two_decisions(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    number = numbers(grouped, "card--b")[0]
    group = f"G{group_with(build, 'card--a').number}"
    payload = review_payload(
        build, approve(groups=[group]), reject(screenshots=[number]), atomic=False
    )
    error = error_of_call(InvalidInputError, agent_of(personas.bob), payload)
    assert isinstance(error, InvalidInputError)
    assert error.problems == [("/decisions/1", f"is also on {number} (decision 1)")]


def test_the_last_approval_has_to_be_confirmed(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    # The order of decisions makes no difference.
    payload = review_payload(
        build, approve(stories=[*CARDS, "card--d"]), approve(stories=["menu--a"])
    )
    error = error_of_call(ConflictError, agent, payload)
    assert '"finalize"' in str(error)
    result = call(agent, "review_changes", **payload, confirmed=["finalize"])
    assert (result.finalized, result.review_state, result.baseline_move) == (True, "approved", 2)
    assert call(agent, "review_changes", **payload).finalized
    assert BaselineVersion.objects.filter(build=build).count() == 1


def test_a_rejection_after_the_approvals_prevents_the_approval(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    review(agent, build, approve(stories=["menu--a"]))
    # In the order of the request, the first of these would approve the build.
    result = review(agent, build, approve(stories=[*CARDS, "card--d"]), reject(stories=["menu--a"]))
    assert (result.finalized, result.review_state) == (False, "unreviewed")
    assert states_of(grouped)["menu--a"] == "changed rejected"


def test_a_failed_rejection_prevents_the_approval_too(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    review(agent_of(personas.bob), build, approve(stories=["menu--a"]))
    result = review(
        agent_of(personas.bob),
        build,
        reject(screenshots=["#999"]),
        approve(stories=[*CARDS, "card--d"]),
        atomic=False,
        confirmed=["finalize"],
    )
    assert [one.outcome for one in result.decisions] == ["conflict", "conflict"]
    assert "another decision" in result.decisions[1].error
    assert Build.objects.get(pk=build.pk).review_state == "unreviewed"


def test_a_rejection_that_others_prevent_does_so_as_well(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    decisions = [approve(stories=[*CARDS, "card--d"]), reject(stories=["menu--a"])]
    payload = review_payload(build, *decisions, atomic=False, confirmed=["finalize"])
    decide(personas.alice, build, "approved", shots=["menu--a"])
    result = call(agent_of(personas.bob), "review_changes", **payload)
    assert [one.outcome for one in result.decisions] == ["conflict", "conflict"]
    assert (result.finalized, result.review_state) == (False, "unreviewed")


def test_decisions_of_others_have_to_be_confirmed(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    payload = review_payload(build, approve(screenshots=numbers(grouped, "card--a")))
    decide(personas.alice, build, "rejected", shots=["card--a"], comment="No")
    error = error_of_call(ConflictError, agent, payload)
    assert numbers(grouped, "card--a")[0] in str(error)
    # Names of others are no part of the server's own words.
    assert "Alice" not in str(error)
    assert call(agent, "review_changes", **payload, confirmed=["override"]).decided_screenshots == 1


def test_a_rejection_in_a_group_has_to_be_confirmed(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    review(agent, build, reject(screenshots=numbers(grouped, "card--b")))
    group = approve(groups=[f"G{group_with(build, 'card--a').number}"])
    error_of_call_in = review_payload(build, group)
    with pytest.raises(ConflictError, match="override"):
        call(agent, "review_changes", **error_of_call_in)
    # Named by itself, the screenshot had been looked at.
    assert review(
        agent, build, approve(screenshots=numbers(grouped, "card--b"))
    ).decided_screenshots


def test_a_build_that_was_compared_again_has_to_be_looked_at_again(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    payload = review_payload(build, approve(stories=["card--a"]))
    Build.objects.filter(pk=build.pk).update(revision=99)
    error = error_of_call(ConflictError, agent_of(personas.bob), payload)
    assert "compared again" in str(error)


def test_a_decision_is_cleared_until_the_build_is_approved(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    review(agent, build, reject(stories=["menu--a"], comment="No"))
    result = review(agent, build, {"state": "cleared", "stories": ["menu--a"]})
    assert (result.decided_screenshots, result.open_screenshots) == (1, 5)
    assert states_of(grouped)["menu--a"] == "changed"
    call(agent, "approve_build", buildId=build.id)
    payload = review_payload(build, {"state": "cleared", "stories": ["menu--a"]})
    with pytest.raises(ConflictError, match="approved"):
        call(agent, "review_changes", **payload)


INVALID = [
    ({"decisions": []}, "/decisions"),
    ({"decisions": [{"state": "approved"}]}, "/decisions/0"),
    ({"decisions": [{"state": "maybe", "stories": ["a"]}]}, "/decisions/0/state"),
    ({"decisions": [{"state": "cleared", "stories": ["a"], "comment": "x"}]}, "/decisions/0"),
    ({"decisions": [approve(stories=["a"])] * 101}, "/decisions"),
    ({"decisions": [approve(stories=["a"])], "requestId": ""}, "/requestId"),
]


def test_an_invalid_request_says_where(
    case: Case, grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    for wrong, pointer in INVALID:
        with case(repr(wrong)[:60]):
            payload = review_payload(build) | wrong
            error = error_of_call(InvalidInputError, agent_of(personas.bob), payload)
            assert isinstance(error, InvalidInputError)
            assert [found for found, _ in error.problems] == [pointer]


def test_viewers_and_others_cannot_decide(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    payload = review_payload(build, approve(stories=["card--a"]))
    error_of_call(ForbiddenError, agent_of(personas.carol), payload)
    error_of_call(NotFoundError, agent_of(personas.mallory), payload)


def test_what_was_approved_without_a_look_is_named(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    look_at(agent, world.shot(build, "card--a"))
    payload = review_payload(
        build, approve(stories=["card--a", "card--b"]), reject(stories=["menu--a"])
    )
    result = call(agent, "review_changes", **payload)
    # A rejection without a look accepts nothing.
    assert result.unseen_screenshots == [world.shot(build, "card--b").number]
    assert call(agent, "review_changes", **payload).unseen_screenshots == result.unseen_screenshots


def test_groups_and_stories_are_decided_as_they_were_seen(
    each: BuildInReview, personas: Personas
) -> None:
    world, build = each
    agent = agent_of(personas.bob)
    for named in ({"stories": ["other"]}, {"groups": ["G1"]}):
        payload = review_payload(build, reject(**named), seen="")
        error = error_of_call(InvalidInputError, agent, payload)
        assert "pass its 'seen', or name the screenshots" in str(error)
    number = f"#{world.shot(build, 'other').number}"
    assert review(agent, build, reject(screenshots=[number]), seen="").decided_screenshots == 1


def test_what_was_seen_of_another_build_is_refused(each: BuildInReview, personas: Personas) -> None:
    _, build = each
    first = Build.objects.get(number=1)
    payload = review_payload(build, reject(stories=["other"]), seen=format_seen(first.id))
    error = error_of_call(InvalidInputError, agent_of(personas.bob), payload)
    assert f"is not 'seen' of the build {build.id}" in str(error)
    assert states_of(each)["other"] == "changed"
