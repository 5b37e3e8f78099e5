"""Webhook events of pull requests, forks and repositories, in any order, more than once."""

from dataclasses import replace
from itertools import permutations

import pytest

from tests.support.case import Case
from tests.support.depth import rounds, some_of
from tests.support.host_accounts import TOKEN, connect_account
from tests.support.hosted_world import (
    NAME,
    HostedWorld,
    run_job,
    waiting_jobs,
    world_with_pull_request,
)
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.hosts.errors import HostBusyError
from visual_review.hosts.port import Event, HostPullRequest
from visual_review.jobs.hosts.calls.pull_request_snapshots import to_snapshot
from visual_review.jobs.hosts.handle_webhook_delivery import ATTEMPTS
from visual_review.repositories.deliveries import repository_of_event
from visual_review.repositories.models import Repository, WebhookDelivery

SAME_AS_MAIN = {"a": "red", "same": "white"}
CHANGED = {"a": "blue", "same": "white"}


@pytest.fixture
def unchanged_world(personas: Personas) -> HostedWorld:
    """The pull request with a build that shows the same as ``main``."""
    return world_with_pull_request(personas.bob, SAME_AS_MAIN)


def outcome(world: HostedWorld) -> str:
    return world.account.deliveries.latest("id").outcome


def test_a_build_is_compared_again_after_the_base_branch_changed(
    unchanged_world: HostedWorld,
) -> None:
    assert unchanged_world.build.review_state == "not_required"
    unchanged_world.deliver_webhooks()
    unchanged_world.host.change_base_branch(NAME, 1, "release")
    unchanged_world.deliver_webhooks()
    row = unchanged_world.fresh(unchanged_world.build)
    assert (row.base_branch, row.review_state, row.changed_count) == ("release", "unreviewed", 1)
    assert outcome(unchanged_world) == "#1 is open. Builds compared again with 'release': 1."
    assert unchanged_world.pull_request.title == "Buttons"


def orders() -> list[tuple[int, ...]]:
    """In order of time, the reverse, and some of the others; in the deep run all."""
    first, *others, last = permutations(range(1, 5))
    return [first, last, *some_of(others, rounds(6, len(others)))]


@pytest.mark.search
def test_any_order_and_repetition_of_deliveries_ends_in_the_same(
    case: Case, unchanged_world: HostedWorld
) -> None:
    unchanged_world.host.change_base_branch(NAME, 1, "release")
    unchanged_world.host.close_pull_request(NAME, 1)
    unchanged_world.host.reopen_pull_request(NAME, 1)
    unchanged_world.host.change_base_branch(NAME, 1, "main")
    events = unchanged_world.host.take_events()
    for order in orders():
        with case(order):
            for place in order:
                unchanged_world.deliver_webhooks([events[place], events[place]])
            # The same events in deliveries of their own, like repeated deliveries of a host.
            unchanged_world.deliver_webhooks(
                [replace(events[place], delivery_id=f"again-{place}") for place in order]
            )
            found, row = (
                unchanged_world.pull_request,
                unchanged_world.fresh(unchanged_world.build),
            )
            assert (found.state, found.base_branch) == ("open", "main")
            assert (row.base_branch, row.status) == ("main", "completed")
            assert row.review_state == "not_required"


def test_a_closed_pull_request_keeps_its_builds_as_they_are(personas: Personas) -> None:
    world = world_with_pull_request(personas.bob, CHANGED)
    world.host.close_pull_request(NAME, 1)
    world.deliver_webhooks()
    assert world.pull_request.state == "closed"
    assert world.fresh(world.build).review_state == "unreviewed"
    world.host.reopen_pull_request(NAME, 1)
    world.deliver_webhooks()
    assert world.pull_request.state == "open"


def test_events_before_any_build_leave_builds_of_the_push_alone(world: HostedWorld) -> None:
    pushed = world.publish({"a": "blue"}, "feature", commit="1" * 40)
    world.deliver_webhooks()
    row = world.fresh(pushed)
    assert (row.baseline_rule, row.pull_request, row.base_branch) == ("default_branch", None, "")
    assert world.pull_request.head_branch == "feature"


def test_a_fork_keeps_its_name_and_the_repository_itself_has_none(world: HostedWorld) -> None:
    world.deliver_webhooks()
    assert world.pull_request.head_repository == ""
    opened = world.host.open_pull_request(NAME, "feature", "2" * 40, head_repository="someone/web")
    world.deliver_webhooks()
    fork = world.stored_repository.pull_requests.get(number=opened.number)
    assert fork.head_repository == "someone/web"


def test_a_renamed_repository_keeps_everything_under_its_new_name(world: HostedWorld) -> None:
    world.host.rename_repository(NAME, "acme/site")
    world.deliver_webhooks()
    assert world.stored_repository.full_name == "acme/site"
    entry = AuditEntry.objects.get(verb="repository.renamed")
    assert (entry.before, entry.after) == ({"fullName": NAME}, {"fullName": "acme/site"})
    assert entry.actor_kind == "system"
    world.host.transfer_repository("acme/site", "group/team/site")
    world.deliver_webhooks()
    assert world.stored_repository.full_name == "group/team/site"


def test_a_replayed_rename_brings_no_former_name_back(world: HostedWorld) -> None:
    world.host.rename_repository(NAME, "acme/site")
    first = world.host.take_events()[-1]
    world.host.rename_repository("acme/site", "acme/shop")
    world.deliver_webhooks()
    world.deliver_webhooks([replace(first, delivery_id="replayed")])
    assert world.stored_repository.full_name == "acme/shop"


def test_a_name_that_another_connected_repository_has_is_shown_as_a_problem(
    world: HostedWorld,
) -> None:
    World(world.persona, "ACME/Site")
    world.host.rename_repository(NAME, "acme/site")
    world.deliver_webhooks()
    assert world.stored_repository.full_name == NAME
    assert "another repository with that name is connected" in world.stored_repository.host_problem


def test_a_repository_that_is_gone_at_the_host_keeps_everything_here(personas: Personas) -> None:
    world = world_with_pull_request(personas.bob, CHANGED)
    world.host.remove_repository(NAME)
    world.deliver_webhooks()
    assert "Nothing was deleted here" in world.stored_repository.host_problem
    assert world.fresh(world.build).review_state == "unreviewed"


def test_nothing_is_sent_to_a_host_where_the_repository_is_gone(world: HostedWorld) -> None:
    world.host.remove_repository(NAME)
    world.deliver_webhooks()
    before = world.stored_repository.host_messages.count()
    world.repository.refresh_from_db()
    world.publish_change(CHANGED)
    assert world.stored_repository.host_messages.count() == before


def test_a_deleted_branch_keeps_its_baseline_and_says_so(world: HostedWorld) -> None:
    world.host.delete_branch(NAME, "release")
    world.deliver_webhooks()
    baseline = Baseline.objects.get(branch="release")
    assert baseline.branch_deleted_at is not None
    assert world.baseline("release") == {"a": "green", "same": "white"}
    world.publish({"a": "green", "same": "white"}, "release")
    baseline.refresh_from_db()
    assert baseline.branch_deleted_at is None


def test_a_job_interrupted_between_noting_and_comparing_does_the_rest(
    unchanged_world: HostedWorld,
) -> None:
    unchanged_world.run_jobs()
    event = unchanged_world.host.change_base_branch(NAME, 1, "release")
    record_event(
        unchanged_world.stored_repository, to_snapshot(unchanged_world.stored_repository, event)
    )
    assert unchanged_world.fresh(unchanged_world.build).base_branch == "main"
    unchanged_world.deliver_webhooks()
    assert unchanged_world.fresh(unchanged_world.build).base_branch == "release"


def test_a_delivery_that_was_handled_is_not_handled_again(world: HostedWorld) -> None:
    world.deliver_webhooks()
    delivery = world.account.deliveries.latest("id")
    before = delivery.handled_at
    handle_again(delivery)
    delivery.refresh_from_db()
    assert delivery.handled_at == before


def test_a_host_that_is_down_is_asked_again_until_it_answers(world: HostedWorld) -> None:
    world.host.rename_repository(NAME, "acme/site")
    world.host.add_fault("busy")
    with pytest.raises(HostBusyError):
        world.deliver_webhooks()
    delivery = world.account.deliveries.latest("id")
    assert delivery.handled_at is None
    world.host.clear_faults()
    handle_again(delivery)
    assert world.stored_repository.full_name == "acme/site"


def test_a_host_that_stays_down_ends_the_delivery_with_a_message(world: HostedWorld) -> None:
    world.host.rename_repository(NAME, "acme/site")
    world.host.add_fault("busy")
    with pytest.raises(HostBusyError):
        world.deliver_webhooks()
    handle_again(world.account.deliveries.latest("id"), ATTEMPTS - 1)
    assert outcome(world).startswith("The Git provider is asked again within a day.")


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
    world: HostedWorld, facts: dict[str, object]
) -> None:
    event = next(one for one in world.host.take_events() if one.pull_request)
    assert event.pull_request is not None
    world.deliver_webhooks([replace(event, pull_request=replace(event.pull_request, **facts))])  # type: ignore[arg-type]
    assert outcome(world).startswith("Not handled.")
    assert not world.stored_repository.pull_requests.exists()


def test_a_title_that_cannot_be_stored_is_shortened_and_cleaned(world: HostedWorld) -> None:
    event = next(one for one in world.host.take_events() if one.pull_request)
    assert event.pull_request is not None
    title = "a\x00b" + "x" * 600
    world.deliver_webhooks([replace(event, pull_request=replace(event.pull_request, title=title))])
    assert world.pull_request.title == "ab" + "x" * 498


def test_the_event_of_a_handled_delivery_is_deleted(world: HostedWorld) -> None:
    world.deliver_webhooks()
    row = world.account.deliveries.latest("id")
    assert (row.event, row.handled_at is not None) == ({}, True)


def test_a_pull_request_event_without_a_pull_request_has_the_repository_checked(
    world: HostedWorld,
) -> None:
    event = Event("pull_request", "odd", world.stored_repository.host_id, NAME)
    world.deliver_webhooks([event])
    assert outcome(world) == f"The repository is still named '{NAME}'."


def test_an_account_that_is_removed_at_the_host_is_shown_as_a_problem(world: HostedWorld) -> None:
    world.host.revoke(TOKEN)
    world.deliver_webhooks([Event("account_removed", "gone")])
    world.account.refresh_from_db()
    assert world.account.problem == outcome(world) != ""


def test_a_replayed_removal_of_the_account_has_the_host_asked(world: HostedWorld) -> None:
    world.deliver_webhooks([Event("account_removed", "replayed")])
    world.account.refresh_from_db()
    assert world.account.problem == ""
    assert outcome(world) == "The Git provider still accepts the account visual-review."


# Names that only the case of a-z makes equal, and names that folding makes equal by mistake.
SAME = (("acme/web", "ACME/Web"), ("acme/É", "Acme/É"))
OTHERS = (
    ("straße/web", "strasse/web"),
    ("kelvin/web", "\u212aelvin/web"),
    ("acme/é", "acme/É"),
    ("acme/web", "acme/site"),
)


def fork_name(name: str, head: str) -> str:
    pull = HostPullRequest(1, "Buttons", "open", "feature", head, "1" * 40, "main")
    return to_snapshot(Repository(full_name=name), pull).head_repository


def test_only_the_repository_itself_is_no_fork(case: Case) -> None:
    for name, head in SAME:
        with case(head):
            assert fork_name(name, head) == ""
    for name, head in OTHERS:
        with case(ascii(head)):
            assert fork_name(name, head) == head


def test_an_event_is_of_the_repository_with_its_name(case: Case, personas: Personas) -> None:
    account = connect_account(personas.bob)
    repository = World(personas.bob, "x/y").repository
    for is_same, names in ((True, SAME), (False, OTHERS)):
        for name, reported in names:
            with case(ascii(reported)):
                Repository.objects.filter(pk=repository.pk).update(
                    full_name=name, host_account=account, host_id=""
                )
                found = repository_of_event(account, "", reported)
                assert (found == repository) is is_same
