"""Members are asked for a review of a branch, from pages, programs and CI."""

import pytest
from django.test import Client

from tests.support.action_calls import act
from tests.support.api_reviewers import agent_of, call
from tests.support.deciding import decide
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, build_with_a_change
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import RequestedReviewer
from visual_review.builds.reviewers import ReviewerState, reviewers_of
from visual_review.kernel.errors import ForbiddenError, NotFoundError


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_a_change(personas.bob)


def test_members_are_asked_once_by_name_or_address(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    agent = agent_of(personas.alice)
    names = ["@bob", personas.carol.user.email.upper(), "Mallory", ""]
    found = call(agent, "request_review", buildId=build.id, reviewers=names)
    assert (found.asked, found.unknown) == (["Bob", "Carol"], ["Mallory", ""])
    again = call(agent, "request_review", buildId=build.id, reviewers=["Bob"])
    assert (again.asked, again.reviewers) == ([], ["Bob", "Carol"])
    (entry,) = AuditEntry.objects.filter(verb="review.requested")
    assert (entry.client, entry.after) == ("Claude Code", {"reviewers": ["Bob", "Carol"]})


def test_a_push_asks_again_and_each_build_shows_what_was_decided(
    in_review: BuildInReview, personas: Personas
) -> None:
    world, build = in_review
    act(personas.alice, "request_review", buildId=build.id, reviewers=["Bob"])
    decide(personas.bob, build, "rejected", shots=["a"])
    later = world.publish({"a": "yellow", "b": "blue", "c": "white"})
    assert reviewers_of(build) == [ReviewerState("Bob", "Alice", 0, 1)]
    assert reviewers_of(later) == [ReviewerState("Bob", "Alice", 0, 0)]
    other = world.publish({"a": "red"}, branch="feature", target="main")
    assert reviewers_of(other) == []


def test_the_page_asks_and_shows(in_review: BuildInReview, personas: Personas) -> None:
    _, build = in_review
    client: Client = signed_in(personas.bob)
    response = client.post(f"/builds/{build.id}/reviewers", {"reviewer": "Alice"}, follow=True)
    assert "Alice is asked for a review." in response.content.decode()
    again = client.post(f"/builds/{build.id}/reviewers", {"reviewer": "Alice"}, follow=True)
    assert "This member is asked for a review already." in again.content.decode()
    gone = client.post(f"/builds/{build.id}/reviewers", {"reviewer": "Mallory"}, follow=True)
    assert "not a member any more" in gone.content.decode()
    assert "has not decided yet, asked by <bdi>Bob</bdi>" in response.content.decode()


def test_who_may_not_review_asks_no_one(in_review: BuildInReview, personas: Personas) -> None:
    _, build = in_review
    with pytest.raises(ForbiddenError):
        act(personas.carol, "request_review", buildId=build.id, reviewers=["Bob"])
    with pytest.raises(NotFoundError):
        act(personas.mallory, "request_review", buildId=build.id, reviewers=["Bob"])
    assert not RequestedReviewer.objects.exists()
