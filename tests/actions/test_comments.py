"""Threads: comments with and without decisions, replies, edits, resolving, and later builds."""

import pytest

from tests.support.action_calls import act
from tests.support.api_reviewers import agent_of, call
from tests.support.deciding import decide, undo
from tests.support.personas import Persona, Personas
from tests.support.worlds import BuildInReview, build_with_a_change
from visual_review.actions.thread_results import ThreadResult
from visual_review.audit.models import AuditEntry
from visual_review.builds.cursors import cursor_of
from visual_review.builds.models import Build, Comment, Thread
from visual_review.builds.threads.reading import ShownThread, threads_of_build, with_open_threads
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_a_change(personas.bob)


def comment(persona: Persona, in_review: BuildInReview, text: str, **more: object) -> object:
    world, build = in_review
    target = {} if "threadId" in more else {"screenshotId": world.shot(build, "a").id}
    return act(persona, "write_comment", text=text, **target, **more)


def entries_of(verb: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(verb=verb).order_by("pk"))


def only_thread(build: Build) -> ShownThread:
    (shown,) = threads_of_build(build)
    return shown


def texts(build: Build) -> list[str]:
    return [each.text for each in only_thread(build).comments]


def test_a_viewer_begins_a_thread_on_a_place_and_others_answer(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = comment(personas.carol, in_review, " Why green? ", place={"x": 3, "y": 2})
    answer = comment(personas.bob, in_review, "For @Carol", threadId=first.thread_id)
    shown = only_thread(build)
    assert (answer.mentioned, answer.unknown) == (["Carol"], [])
    assert texts(build) == ["Why green?", "For @Carol"]
    assert shown.thread.place == {"x": 3, "y": 2}
    assert (shown.is_earlier, shown.rejection) == (False, "")
    assert Build.objects.get(pk=build.pk).review_state == "unreviewed"


def test_the_same_comment_again_has_one_effect(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = comment(personas.carol, in_review, "Why green?")
    assert comment(personas.carol, in_review, "Why green?") == first
    answers = [
        comment(personas.bob, in_review, "Ask Alice", threadId=first.thread_id) for _ in "12"
    ]
    assert answers[0] == answers[1]
    assert texts(build) == ["Why green?", "Ask Alice"]
    assert len(entries_of("comment.added")) == 2


def test_authors_edit_and_delete_their_own_comments(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = comment(personas.carol, in_review, "Why gren?")
    act(personas.carol, "edit_comment", commentId=first.comment_id, text="Why green?")
    with pytest.raises(ForbiddenError, match="Only its author"):
        act(personas.alice, "edit_comment", commentId=first.comment_id, text="Mine")
    assert texts(build) == ["Why green?"]
    act(personas.carol, "edit_comment", commentId=first.comment_id, text="")
    assert texts(build) == [""]
    with pytest.raises(ConflictError, match="was deleted"):
        act(personas.carol, "edit_comment", commentId=first.comment_id, text="Back")
    (deleted,) = entries_of("comment.deleted")
    assert deleted.before == {"comment": first.comment_id, "text": "Why green?"}


def test_a_resolved_thread_stays_in_its_build_and_leaves_later_ones(
    in_review: BuildInReview, personas: Personas
) -> None:
    world, build = in_review
    first = comment(personas.carol, in_review, "Why green?")
    later = world.publish({"a": "yellow", "b": "blue", "c": "white"})
    shown = only_thread(later)
    assert (shown.is_earlier, shown.screenshot_id) == (True, world.shot(later, "a").id)
    act(personas.bob, "resolve_thread", threadId=first.thread_id, resolved=True)
    act(personas.bob, "resolve_thread", threadId=first.thread_id, resolved=True)
    assert threads_of_build(later) == []
    assert only_thread(build).thread.resolved_by_name == "Bob"
    assert len(entries_of("thread.resolved")) == 1
    act(personas.carol, "resolve_thread", threadId=first.thread_id, resolved=False)
    assert len(threads_of_build(later)) == 1


def test_another_branch_does_not_show_the_thread(
    in_review: BuildInReview, personas: Personas
) -> None:
    world, _ = in_review
    comment(personas.carol, in_review, "Why green?")
    other = world.publish({"a": "green", "b": "blue"}, branch="feature", target="main")
    assert threads_of_build(other) == []
    counts = with_open_threads(Build.objects.all()).values_list("branch", "open_threads")
    assert set(counts) == {("main", 1), ("feature", None)}


def test_a_rejection_opens_a_thread_and_another_answers_in_it(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = decide(personas.bob, build, "rejected", shots=["a"], comment="Too green")
    assert (texts(build), only_thread(build).rejection) == (["Too green"], "stands")
    undo(personas.bob, build, first.decision_id)
    assert (texts(build), only_thread(build).rejection) == (["Too green"], "withdrawn")
    decide(personas.bob, build, "rejected", shots=["a"], comment="Still too green")
    assert texts(build) == ["Too green", "Still too green"]
    assert only_thread(build).rejection == "stands"
    rejection = Comment.objects.order_by("pk")[0]
    with pytest.raises(ConflictError, match="stays as it was posted"):
        act(personas.bob, "edit_comment", commentId=rejection.pk, text="Green is fine")


def test_a_rejection_of_several_is_one_thread_about_all_of_them(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    decide(personas.bob, build, "rejected", shots=["a", "c"], comment="No")
    assert only_thread(build).thread.more == 1
    decide(personas.bob, build, "rejected", shots=["a"], comment="Too green")
    assert [len(each.comments) for each in threads_of_build(build)] == [1, 1]


def test_a_program_reads_threads_and_answers_as_itself(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = comment(personas.carol, in_review, "Why green?")
    agent = agent_of(personas.bob)
    (found,) = call(agent, "get_decisions", buildId=build.id).threads
    assert isinstance(found, ThreadResult)
    assert (found.id, found.comments[0].text) == (first.thread_id, "Why green?")
    call(agent, "comment", threadId=found.id, text="The token changed.")
    answer = only_thread(build).comments[-1]
    assert (answer.author_name, answer.client) == ("Bob", "Claude Code")
    (_, audited) = entries_of("comment.added")
    assert (audited.client, audited.after["text"]) == ("Claude Code", "The token changed.")


def test_pages_notice_comments(in_review: BuildInReview, personas: Personas) -> None:
    world, build = in_review
    later = world.publish({"a": "yellow", "b": "blue", "c": "white"})
    seen = [cursor_of(build.id), cursor_of(later.id)]
    first = comment(personas.carol, in_review, "Why green?")
    after = [cursor_of(build.id), cursor_of(later.id)]
    act(personas.carol, "edit_comment", commentId=first.comment_id, text="Why?")
    assert all(one != other for one, other in zip(seen, after, strict=True))
    assert cursor_of(build.id) != after[0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": "  "}, "The comment is empty"),
        ({"text": "a" * 100_000}, "100,000 characters, and at most 10,000"),
        ({"text": "Here", "place": {"x": 5000, "y": 0}}, "outside of the image"),
        ({"text": "Both", "threadId": "thread_1", "screenshotId": "shot_1"}, "Name either"),
        ({"text": "Both", "threadId": ""}, "Name either"),
    ],
)
def test_bad_comments_are_refused(
    in_review: BuildInReview, personas: Personas, values: dict[str, object], message: str
) -> None:
    world, build = in_review
    payload = {"screenshotId": world.shot(build, "a").id} | values
    with pytest.raises(InvalidInputError, match=message):
        act(personas.bob, "write_comment", **payload)
    assert not Thread.objects.exists()


def test_strangers_see_no_thread_and_cannot_be_mentioned(
    in_review: BuildInReview, personas: Personas
) -> None:
    _, build = in_review
    first = comment(personas.carol, in_review, "Ask @Mallory and @nobody@example.com")
    assert (first.mentioned, first.unknown) == ([], ["Mallory", "nobody@example.com"])
    for action, values in (
        ("write_comment", {"threadId": first.thread_id, "text": "Hello"}),
        ("edit_comment", {"commentId": first.comment_id, "text": "Hello"}),
        ("resolve_thread", {"threadId": first.thread_id, "resolved": True}),
    ):
        with pytest.raises(NotFoundError):
            act(personas.mallory, action, **values)
    assert texts(build) == ["Ask @Mallory and @nobody@example.com"]
