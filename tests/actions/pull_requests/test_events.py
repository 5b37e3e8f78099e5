"""Webhook events of pull requests and repositories, in any order and more than once."""

from dataclasses import replace
from itertools import permutations

import pytest

from tests.support.case import Case
from tests.support.depth import rounds, some_of
from tests.support.host_accounts import TOKEN
from tests.support.hosts.tracked_pull_request import (
    NAME,
    TrackedPullRequest,
    run_job,
    track_pull_request,
    waiting_jobs,
)
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.hosts.errors import HostBusyError
from visual_review.hosts.port import Event
from visual_review.jobs.hosts.calls.pull_request_snapshots import to_snapshot
from visual_review.jobs.hosts.handle_webhook_delivery import ATTEMPTS
from visual_review.repositories.models import WebhookDelivery

SAME_AS_MAIN = {"a": "red", "same": "white"}
CHANGED = {"a": "blue", "same": "white"}


@pytest.fixture
def unchanged_pull_request(personas: Personas) -> TrackedPullRequest:
    """The pull request with a build that shows the same as ``main``."""
    return track_pull_request(personas.bob, SAME_AS_MAIN)


def outcome(pull_request: TrackedPullRequest) -> str:
    return pull_request.account.deliveries.latest("id").outcome


def test_a_build_is_compared_again_after_the_base_branch_changed(
    unchanged_pull_request: TrackedPullRequest,
) -> None:
    assert unchanged_pull_request.build.review_state == "not_required"
    unchanged_pull_request.deliver()
    unchanged_pull_request.host.change_base_branch(NAME, 1, "release")
    unchanged_pull_request.deliver()
    row = unchanged_pull_request.world.fresh(unchanged_pull_request.build)
    assert (row.base_branch, row.review_state, row.changed_count) == ("release", "unreviewed", 1)
    assert outcome(unchanged_pull_request) == "#1 is open. Builds compared again with 'release': 1."
    assert unchanged_pull_request.row.title == "Buttons"


def orders() -> list[tuple[int, ...]]:
    """As it happened, the reverse, and some of the others; in the deep run all."""
    first, *others, last = permutations(range(1, 5))
    return [first, last, *some_of(others, rounds(6, len(others)))]


@pytest.mark.search
def test_any_order_and_repetition_of_deliveries_ends_in_the_same(
    case: Case, unchanged_pull_request: TrackedPullRequest
) -> None:
    unchanged_pull_request.host.change_base_branch(NAME, 1, "release")
    unchanged_pull_request.host.close_pull_request(NAME, 1)
    unchanged_pull_request.host.reopen_pull_request(NAME, 1)
    unchanged_pull_request.host.change_base_branch(NAME, 1, "main")
    events = unchanged_pull_request.events()
    for order in orders():
        with case(order):
            for place in order:
                unchanged_pull_request.deliver([events[place], events[place]])
            # The same events in deliveries of their own, as a host sends them again.
            unchanged_pull_request.deliver(
                [replace(events[place], delivery_id=f"again-{place}") for place in order]
            )
            found, row = (
                unchanged_pull_request.row,
                unchanged_pull_request.world.fresh(unchanged_pull_request.build),
            )
            assert (found.state, found.base_branch) == ("open", "main")
            assert (row.base_branch, row.status) == ("main", "completed")
            assert row.review_state == "not_required"


def test_a_closed_pull_request_keeps_its_builds_as_they_are(personas: Personas) -> None:
    pull_request = track_pull_request(personas.bob, CHANGED)
    pull_request.host.close_pull_request(NAME, 1)
    pull_request.deliver()
    assert pull_request.row.state == "closed"
    assert pull_request.world.fresh(pull_request.build).review_state == "unreviewed"
    pull_request.host.reopen_pull_request(NAME, 1)
    pull_request.deliver()
    assert pull_request.row.state == "open"


def test_events_before_any_build_leave_builds_of_the_push_alone(
    pull_request: TrackedPullRequest,
) -> None:
    pushed = pull_request.world.publish({"a": "blue"}, "feature", commit="1" * 40)
    pull_request.deliver()
    row = pull_request.world.fresh(pushed)
    assert (row.baseline_rule, row.pull_request, row.base_branch) == ("default_branch", None, "")
    assert pull_request.row.head_branch == "feature"


def test_a_fork_keeps_its_name_and_the_repository_itself_has_none(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.deliver()
    assert pull_request.row.head_repository == ""
    opened = pull_request.host.open_pull_request(
        NAME, "feature", "2" * 40, head_repository="someone/web"
    )
    pull_request.deliver()
    fork = pull_request.repository.pull_requests.get(number=opened.number)
    assert fork.head_repository == "someone/web"


def test_a_renamed_repository_keeps_everything_under_its_new_name(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.rename_repository(NAME, "acme/site")
    pull_request.deliver()
    assert pull_request.repository.full_name == "acme/site"
    entry = AuditEntry.objects.get(verb="repository.renamed")
    assert (entry.before, entry.after) == ({"fullName": NAME}, {"fullName": "acme/site"})
    assert entry.actor_kind == "system"
    pull_request.host.transfer_repository("acme/site", "group/team/site")
    pull_request.deliver()
    assert pull_request.repository.full_name == "group/team/site"


def test_a_replayed_rename_brings_no_former_name_back(pull_request: TrackedPullRequest) -> None:
    pull_request.host.rename_repository(NAME, "acme/site")
    first = pull_request.events()[-1]
    pull_request.host.rename_repository("acme/site", "acme/shop")
    pull_request.deliver()
    pull_request.deliver([replace(first, delivery_id="replayed")])
    assert pull_request.repository.full_name == "acme/shop"


def test_a_name_that_another_connected_repository_has_is_shown_as_a_problem(
    pull_request: TrackedPullRequest,
) -> None:
    World(pull_request.persona, "ACME/Site")
    pull_request.host.rename_repository(NAME, "acme/site")
    pull_request.deliver()
    assert pull_request.repository.full_name == NAME
    assert "another repository with that name is connected" in pull_request.repository.host_problem


def test_a_repository_that_is_gone_at_the_host_keeps_everything_here(personas: Personas) -> None:
    pull_request = track_pull_request(personas.bob, CHANGED)
    pull_request.host.remove_repository(NAME)
    pull_request.deliver()
    assert "Nothing was deleted here" in pull_request.repository.host_problem
    assert pull_request.world.fresh(pull_request.build).review_state == "unreviewed"


def test_nothing_is_sent_to_a_host_where_the_repository_is_gone(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.remove_repository(NAME)
    pull_request.deliver()
    before = pull_request.repository.host_messages.count()
    pull_request.world.repository.refresh_from_db()
    pull_request.publish(CHANGED)
    assert pull_request.repository.host_messages.count() == before


def test_a_deleted_branch_keeps_its_baseline_and_says_so(pull_request: TrackedPullRequest) -> None:
    pull_request.host.delete_branch(NAME, "release")
    pull_request.deliver()
    baseline = Baseline.objects.get(branch="release")
    assert baseline.branch_deleted_at is not None
    assert pull_request.world.baseline("release") == {"a": "green", "same": "white"}
    pull_request.world.publish({"a": "green", "same": "white"}, "release")
    baseline.refresh_from_db()
    assert baseline.branch_deleted_at is None


def test_a_job_interrupted_between_noting_and_comparing_does_the_rest(
    unchanged_pull_request: TrackedPullRequest,
) -> None:
    unchanged_pull_request.run_jobs()
    event = unchanged_pull_request.host.change_base_branch(NAME, 1, "release")
    record_event(
        unchanged_pull_request.repository, to_snapshot(unchanged_pull_request.repository, event)
    )
    assert unchanged_pull_request.world.fresh(unchanged_pull_request.build).base_branch == "main"
    unchanged_pull_request.deliver()
    assert unchanged_pull_request.world.fresh(unchanged_pull_request.build).base_branch == "release"


def test_a_delivery_that_was_handled_is_not_handled_again(pull_request: TrackedPullRequest) -> None:
    pull_request.deliver()
    delivery = pull_request.account.deliveries.latest("id")
    before = delivery.handled_at
    handle_again(delivery)
    delivery.refresh_from_db()
    assert delivery.handled_at == before


def test_a_host_that_is_down_is_asked_again_until_it_answers(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.rename_repository(NAME, "acme/site")
    pull_request.host.add_fault("busy")
    with pytest.raises(HostBusyError):
        pull_request.deliver()
    delivery = pull_request.account.deliveries.latest("id")
    assert delivery.handled_at is None
    pull_request.host.clear_faults()
    handle_again(delivery)
    assert pull_request.repository.full_name == "acme/site"


def test_a_host_that_stays_down_ends_the_delivery_with_a_message(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.rename_repository(NAME, "acme/site")
    pull_request.host.add_fault("busy")
    with pytest.raises(HostBusyError):
        pull_request.deliver()
    handle_again(pull_request.account.deliveries.latest("id"), ATTEMPTS - 1)
    assert outcome(pull_request).startswith("The Git provider is asked again within a day.")


def handle_again(delivery: WebhookDelivery, attempts: int = 1) -> None:
    """The job once more, as after a pause or a kill."""
    row = waiting_jobs().model(task_name="handle_delivery", args={"delivery_id": delivery.pk})
    run_job(row, attempts)


@pytest.mark.parametrize(
    "facts",
    [
        {"base_branch": "b" * 256},
        {"head_repository": "h" * 301},
        {"head_commit": "c" * 65},
        {"number": 0},
        {"number": 2**31},
    ],
)
def test_an_event_that_cannot_be_stored_ends_with_a_message(
    pull_request: TrackedPullRequest, facts: dict[str, object]
) -> None:
    event = next(one for one in pull_request.events() if one.pull_request)
    assert event.pull_request is not None
    pull_request.deliver([replace(event, pull_request=replace(event.pull_request, **facts))])  # type: ignore[arg-type]
    assert outcome(pull_request).startswith("Not handled.")
    assert not pull_request.repository.pull_requests.exists()


def test_a_title_that_cannot_be_stored_is_shortened_and_cleaned(
    pull_request: TrackedPullRequest,
) -> None:
    event = next(one for one in pull_request.events() if one.pull_request)
    assert event.pull_request is not None
    title = "a\x00b" + "x" * 600
    pull_request.deliver([replace(event, pull_request=replace(event.pull_request, title=title))])
    assert pull_request.row.title == "ab" + "x" * 498


def test_the_event_of_a_handled_delivery_is_deleted(pull_request: TrackedPullRequest) -> None:
    pull_request.deliver()
    row = pull_request.account.deliveries.latest("id")
    assert (row.event, row.handled_at is not None) == ({}, True)


def test_a_pull_request_event_without_a_pull_request_has_the_repository_checked(
    pull_request: TrackedPullRequest,
) -> None:
    event = Event("pull_request", "odd", pull_request.repository.host_id, NAME)
    pull_request.deliver([event])
    assert outcome(pull_request) == f"The repository is still named '{NAME}'."


def test_an_account_that_is_removed_at_the_host_is_shown_as_a_problem(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.revoke(TOKEN)
    pull_request.deliver([Event("account_removed", "gone")])
    pull_request.account.refresh_from_db()
    assert pull_request.account.problem == outcome(pull_request) != ""


def test_a_replayed_removal_of_the_account_has_the_host_asked(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.deliver([Event("account_removed", "replayed")])
    pull_request.account.refresh_from_db()
    assert pull_request.account.problem == ""
    assert outcome(pull_request) == "The Git provider still accepts the account visual-review."
