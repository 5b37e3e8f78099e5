"""What source hosts tell of pull requests and repositories, in any order and more than once."""

from dataclasses import replace
from itertools import permutations

import pytest

from tests.actions.following.steps import NAME, Followed, run_job, waiting
from tests.connected_host import TOKEN
from tests.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.following import note_told
from visual_review.builds.models import Baseline
from visual_review.hosts.errors import HostBusyError
from visual_review.hosts.port import Event
from visual_review.jobs.handle_delivery import ATTEMPTS
from visual_review.jobs.host_news import news_of
from visual_review.repositories.models import WebhookDelivery

SAME_AS_MAIN = {"a": "red", "same": "white"}


def outcome(followed: Followed) -> str:
    return followed.account.deliveries.latest("id").outcome


def test_a_retargeted_pull_request_has_its_build_compared_again(followed: Followed) -> None:
    build = followed.publish(SAME_AS_MAIN)
    assert build.review_state == "not_required"
    followed.deliver()
    followed.host.retarget(NAME, 1, "release")
    followed.deliver()
    row = followed.world.fresh(build)
    assert (row.base_branch, row.review_state, row.changed_count) == ("release", "unreviewed", 1)
    assert outcome(followed) == "#1 is open. Compared again for 'release': 1."
    assert followed.pull_request.title == "Buttons"


@pytest.mark.parametrize("order", list(permutations(range(1, 5)))[::3])
def test_any_order_and_repetition_of_deliveries_ends_in_the_same(
    followed: Followed, order: tuple[int, ...]
) -> None:
    build = followed.publish(SAME_AS_MAIN)
    followed.host.retarget(NAME, 1, "release")
    followed.host.close_pull_request(NAME, 1)
    followed.host.reopen_pull_request(NAME, 1)
    followed.host.retarget(NAME, 1, "main")
    events = followed.events()
    for place in order:
        followed.deliver([events[place], events[place]])
    # The same news in deliveries of their own, as a host sends them again.
    followed.deliver([replace(events[place], delivery_id=f"again-{place}") for place in order])
    found, row = followed.pull_request, followed.world.fresh(build)
    assert (found.state, found.base_branch) == ("open", "main")
    assert (row.base_branch, row.status, row.review_state) == ("main", "completed", "not_required")


def test_a_closed_pull_request_keeps_its_builds_as_they_are(followed: Followed) -> None:
    build = followed.publish({"a": "blue", "same": "white"})
    followed.host.close_pull_request(NAME, 1)
    followed.deliver()
    assert followed.pull_request.state == "closed"
    assert followed.world.fresh(build).review_state == "unreviewed"
    followed.host.reopen_pull_request(NAME, 1)
    followed.deliver()
    assert followed.pull_request.state == "open"


def test_news_before_any_build_leave_builds_of_the_push_alone(followed: Followed) -> None:
    pushed = followed.world.publish({"a": "blue"}, "feature", commit="1" * 40)
    followed.deliver()
    row = followed.world.fresh(pushed)
    assert (row.baseline_rule, row.pull_request, row.base_branch) == ("default_branch", None, "")
    assert followed.pull_request.head_branch == "feature"


def test_a_fork_keeps_its_name_and_the_repository_itself_has_none(followed: Followed) -> None:
    followed.deliver()
    assert followed.pull_request.head_repository == ""
    told = followed.host.open_pull_request(NAME, "feature", "2" * 40, head_repository="someone/web")
    followed.deliver()
    fork = followed.repository.pull_requests.get(number=told.number)
    assert fork.head_repository == "someone/web"


def test_a_renamed_repository_keeps_everything_under_its_new_name(followed: Followed) -> None:
    followed.host.rename_repository(NAME, "acme/site")
    followed.deliver()
    assert followed.repository.full_name == "acme/site"
    entry = AuditEntry.objects.get(verb="repository.renamed")
    assert (entry.before, entry.after) == ({"fullName": NAME}, {"fullName": "acme/site"})
    assert entry.actor_kind == "system"
    followed.host.transfer_repository("acme/site", "group/team/site")
    followed.deliver()
    assert followed.repository.full_name == "group/team/site"


def test_a_replayed_rename_brings_no_former_name_back(followed: Followed) -> None:
    followed.host.rename_repository(NAME, "acme/site")
    first = followed.events()[-1]
    followed.host.rename_repository("acme/site", "acme/shop")
    followed.deliver()
    followed.deliver([replace(first, delivery_id="replayed")])
    assert followed.repository.full_name == "acme/shop"


def test_a_name_that_another_repository_has_here_is_told_as_a_problem(followed: Followed) -> None:
    World(followed.persona, "ACME/Site")
    followed.host.rename_repository(NAME, "acme/site")
    followed.deliver()
    assert followed.repository.full_name == NAME
    assert "another repository is connected under that name" in followed.repository.host_problem


def test_a_repository_that_is_gone_at_the_host_keeps_everything_here(followed: Followed) -> None:
    build = followed.publish({"a": "blue", "same": "white"})
    followed.host.remove_repository(NAME)
    followed.deliver()
    assert "Nothing was deleted here" in followed.repository.host_problem
    assert followed.world.fresh(build).review_state == "unreviewed"


def test_nothing_is_told_to_a_host_where_the_repository_is_gone(followed: Followed) -> None:
    followed.host.remove_repository(NAME)
    followed.deliver()
    before = followed.repository.host_messages.count()
    followed.world.repository.refresh_from_db()
    followed.publish({"a": "blue", "same": "white"})
    assert followed.repository.host_messages.count() == before


def test_a_deleted_branch_keeps_its_baseline_and_says_so(followed: Followed) -> None:
    followed.host.delete_branch(NAME, "release")
    followed.deliver()
    baseline = Baseline.objects.get(branch="release")
    assert baseline.branch_deleted_at is not None
    assert followed.world.baseline("release") == {"a": "green", "same": "white"}
    followed.world.publish({"a": "green", "same": "white"}, "release")
    baseline.refresh_from_db()
    assert baseline.branch_deleted_at is None


def test_a_job_that_was_cut_between_noting_and_comparing_does_the_rest(followed: Followed) -> None:
    build = followed.publish(SAME_AS_MAIN)
    followed.run()
    told = followed.host.retarget(NAME, 1, "release")
    note_told(followed.repository, news_of(followed.repository, told))
    assert followed.world.fresh(build).base_branch == "main"
    followed.deliver()
    assert followed.world.fresh(build).base_branch == "release"


def test_a_delivery_that_was_handled_is_not_handled_again(followed: Followed) -> None:
    followed.deliver()
    delivery = followed.account.deliveries.latest("id")
    before = delivery.handled_at
    again(delivery)
    delivery.refresh_from_db()
    assert delivery.handled_at == before


def test_a_host_that_is_down_is_asked_again_until_it_answers(followed: Followed) -> None:
    followed.host.rename_repository(NAME, "acme/site")
    followed.host.disturb("busy")
    with pytest.raises(HostBusyError):
        followed.deliver()
    delivery = followed.account.deliveries.latest("id")
    assert delivery.handled_at is None
    followed.host.calm()
    again(delivery)
    assert followed.repository.full_name == "acme/site"


def test_a_host_that_stays_down_ends_the_delivery_in_words(followed: Followed) -> None:
    followed.host.rename_repository(NAME, "acme/site")
    followed.host.disturb("busy")
    with pytest.raises(HostBusyError):
        followed.deliver()
    again(followed.account.deliveries.latest("id"), ATTEMPTS - 1)
    assert outcome(followed).startswith("The host is asked again within a day.")


def again(delivery: WebhookDelivery, attempts: int = 1) -> None:
    """The job once more, as after a pause or a kill."""
    row = waiting().model(task_name="handle_delivery", args={"delivery_id": delivery.pk})
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
def test_news_that_cannot_be_kept_end_in_words(
    followed: Followed, facts: dict[str, object]
) -> None:
    event = next(one for one in followed.events() if one.pull_request)
    assert event.pull_request is not None
    followed.deliver([replace(event, pull_request=replace(event.pull_request, **facts))])  # type: ignore[arg-type]
    assert outcome(followed).startswith("Not handled.")
    assert not followed.repository.pull_requests.exists()


def test_a_title_no_database_keeps_is_mended(followed: Followed) -> None:
    event = next(one for one in followed.events() if one.pull_request)
    assert event.pull_request is not None
    title = "a\x00b" + "x" * 600
    followed.deliver([replace(event, pull_request=replace(event.pull_request, title=title))])
    assert followed.pull_request.title == "ab" + "x" * 498


def test_what_a_delivery_told_is_not_kept_longer_than_needed(followed: Followed) -> None:
    followed.deliver()
    row = followed.account.deliveries.latest("id")
    assert (row.event, row.handled_at is not None) == ({}, True)


def test_a_pull_request_event_without_one_is_looked_into(followed: Followed) -> None:
    told = Event("pull_request", "odd", followed.repository.host_id, NAME)
    followed.deliver([told])
    assert outcome(followed) == f"The repository is called '{NAME}' as before."


def test_an_account_that_is_removed_at_the_host_is_told_as_a_problem(followed: Followed) -> None:
    followed.host.revoke(TOKEN)
    followed.deliver([Event("account_removed", "gone")])
    followed.account.refresh_from_db()
    assert followed.account.problem == outcome(followed) != ""


def test_an_account_that_others_say_is_removed_is_asked_about(followed: Followed) -> None:
    followed.deliver([Event("account_removed", "replayed")])
    followed.account.refresh_from_db()
    assert followed.account.problem == ""
    assert outcome(followed) == "The host still knows the account as visual-review."
