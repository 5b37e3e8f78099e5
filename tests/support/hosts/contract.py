"""What every source host must do, whatever it is; one class of tests for all adapters.

A test module of an adapter derives from ``HostContract`` and gives the fixture ``adapter``.
"""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.port import HostStatus, StatusState

COMMIT = "a" * 40
OTHER = "b" * 40
MERGED = "c" * 40
MARK = "<!-- visual-review:mark -->"


def status(state: StatusState = "pending", context: str = "visual-review") -> HostStatus:
    return HostStatus(context, state, "2 stories wait for a review", "https://review.test/b/1")


def open_pull_request(
    adapter: AdapterUnderTest, commit: str = COMMIT, branch: str = "feature"
) -> int:
    return adapter.world.open_pull_request(NAME, branch, commit).number


class HostContract:
    def test_it_knows_whom_it_speaks_for(self, adapter: AdapterUnderTest) -> None:
        assert adapter.host.identity().name == adapter.world.login

    def test_all_repositories_are_listed_over_every_page(self, adapter: AdapterUnderTest) -> None:
        names = {NAME, *(f"acme/part-{number}" for number in range(7))}
        for name in sorted(names - {NAME}):
            adapter.world.add_repository(name)
        found = list(adapter.host.repositories())
        assert sorted(one.full_name for one in found) == sorted(names)
        assert len({one.id for one in found}) == len(names)

    def test_a_repository_is_described(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.add_repository("acme/old", "trunk", private=True, archived=True)
        assert adapter.host.repository("acme/old") == made
        assert adapter.host.repository_by_id(made.id) == made

    def test_names_of_repositories_have_no_case(self, adapter: AdapterUnderTest) -> None:
        assert adapter.host.repository(NAME.upper()).full_name == NAME

    def test_a_former_name_leads_to_the_new_one(self, adapter: AdapterUnderTest) -> None:
        known = adapter.host.repository(NAME)
        adapter.world.rename_repository(NAME, "acme/site")
        assert adapter.host.repository(NAME).full_name == "acme/site"
        assert adapter.host.repository_by_id(known.id).full_name == "acme/site"

    def test_pull_requests_of_a_renamed_repository_come_from_no_fork(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = open_pull_request(adapter)
        adapter.world.rename_repository(NAME, "acme/site")
        assert adapter.host.pull_request(NAME, number).head_repository == "acme/site"

    def test_a_repository_that_is_gone_is_missing(self, adapter: AdapterUnderTest) -> None:
        known = adapter.host.repository(NAME)
        adapter.world.remove_repository(NAME)
        with pytest.raises(HostMissingError):
            adapter.host.repository(NAME)
        with pytest.raises(HostMissingError):
            adapter.host.repository_by_id(known.id)

    def test_a_pull_request_is_described(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.open_pull_request(NAME, "feature", COMMIT, "main", title="Blue")
        assert adapter.host.pull_request(NAME, made.number) == made

    def test_a_pull_request_of_a_fork_names_the_fork(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
        assert adapter.host.pull_request(NAME, made.number).head_repository == "eve/web"

    def test_a_merged_pull_request_names_its_commit_on_the_target(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = open_pull_request(adapter)
        adapter.world.merge_pull_request(NAME, number, MERGED)
        found = adapter.host.pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("merged", MERGED)

    def test_a_merged_pull_request_of_a_fork_keeps_its_names(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = adapter.world.open_pull_request(
            NAME, "main", COMMIT, "release", head_repository="eve/web"
        ).number
        made = adapter.world.merge_pull_request(NAME, number, MERGED)
        assert adapter.host.pull_request(NAME, number) == made

    def test_a_closed_pull_request_names_none(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        adapter.world.close_pull_request(NAME, number)
        found = adapter.host.pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("closed", "")

    def test_a_pull_request_that_is_not_there_is_missing(self, adapter: AdapterUnderTest) -> None:
        with pytest.raises(HostMissingError):
            adapter.host.pull_request(NAME, 77)

    def test_only_open_pull_requests_are_listed_over_every_page(
        self, adapter: AdapterUnderTest
    ) -> None:
        numbers = [
            open_pull_request(adapter, f"{place:040x}", f"branch-{place}") for place in range(8)
        ]
        adapter.world.close_pull_request(NAME, numbers[0])
        adapter.world.merge_pull_request(NAME, numbers[1])
        found = adapter.host.open_pull_requests(NAME)
        assert sorted(pull.number for pull in found) == numbers[2:]

    def test_the_pull_requests_of_a_commit_are_found_in_order(
        self, adapter: AdapterUnderTest
    ) -> None:
        first, second = open_pull_request(adapter), open_pull_request(adapter, branch="other")
        open_pull_request(adapter, OTHER, "third")
        adapter.world.close_pull_request(NAME, open_pull_request(adapter, branch="closed"))
        assert adapter.host.pull_requests_of(NAME, COMMIT) == [first, second]
        assert adapter.host.pull_requests_of(NAME, "f" * 40) == []

    def test_the_newest_status_of_each_context_stands(self, adapter: AdapterUnderTest) -> None:
        open_pull_request(adapter)
        for each in (status("pending"), status("failure"), status("pending", "visual-review/app")):
            adapter.host.set_status(NAME, COMMIT, each)
        adapter.host.set_status(NAME, COMMIT, status("success"))
        wanted = [status("success"), status("pending", "visual-review/app")]
        assert adapter.world.statuses_of(NAME, COMMIT) == {one.context: one for one in wanted}

    @pytest.mark.parametrize("state", ["pending", "success", "failure", "error"])
    def test_every_state_can_be_set(self, adapter: AdapterUnderTest, state: StatusState) -> None:
        open_pull_request(adapter)
        adapter.host.set_status(NAME, COMMIT, status(state))
        assert adapter.world.statuses_of(NAME, COMMIT) == {"visual-review": status(state)}

    def test_a_comment_is_added_found_and_edited(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        added = adapter.host.add_comment(NAME, number, f"{MARK}\nOne change")
        assert adapter.host.find_comment(NAME, number, MARK) == added
        adapter.host.edit_comment(NAME, number, added.id, f"{MARK}\nNo change")
        found = adapter.host.find_comment(NAME, number, MARK)
        assert found is not None
        assert (found.id, found.body) == (added.id, f"{MARK}\nNo change")
        assert len(adapter.world.comments_of(NAME, number)) == 1

    def test_only_comments_of_our_own_are_found(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        adapter.world.write_comment(NAME, number, f"> {MARK} I quote it")
        assert adapter.host.find_comment(NAME, number, MARK) is None

    def test_a_comment_is_found_behind_many_others(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        for place in range(10):
            adapter.world.write_comment(NAME, number, f"Comment {place}")
        added = adapter.host.add_comment(NAME, number, MARK)
        assert adapter.host.find_comment(NAME, number, MARK) == added

    def test_a_comment_keeps_every_character(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        body = f'{MARK}\n`<b>` \\ "quoted" & 100 % ünï 🎨\n\n| a | b |\n'
        adapter.host.add_comment(NAME, number, body)
        assert [one.body for one in adapter.world.comments_of(NAME, number)] == [body]

    def test_a_comment_that_was_deleted_is_missing(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        added = adapter.host.add_comment(NAME, number, MARK)
        adapter.world.delete_comment(NAME, number, added.id)
        assert adapter.host.find_comment(NAME, number, MARK) is None
        with pytest.raises(HostMissingError):
            adapter.host.edit_comment(NAME, number, added.id, MARK)

    def test_comments_of_a_pull_request_that_is_gone_are_missing(
        self, adapter: AdapterUnderTest
    ) -> None:
        with pytest.raises(HostMissingError):
            adapter.host.find_comment(NAME, 77, MARK)
        with pytest.raises(HostMissingError):
            adapter.host.add_comment(NAME, 77, MARK)

    def test_a_revoked_token_is_refused(self, adapter: AdapterUnderTest) -> None:
        adapter.world.revoke(TOKEN)
        with pytest.raises(HostAccessError):
            adapter.host.repository(NAME)
        with pytest.raises(HostAccessError):
            list(adapter.host.repositories())

    def test_a_host_that_fails_is_busy(self, adapter: AdapterUnderTest) -> None:
        adapter.world.disturb("busy")
        with pytest.raises(HostBusyError):
            adapter.host.repository(NAME)

    def test_a_busy_host_says_when_to_come_again(self, adapter: AdapterUnderTest) -> None:
        until = datetime.now(UTC) + timedelta(minutes=10)
        adapter.world.disturb("busy", until=until)
        with pytest.raises(HostBusyError) as caught:
            adapter.host.repository(NAME)
        assert caught.value.until is not None
        assert abs(caught.value.until - until) < timedelta(minutes=5)

    def test_a_page_of_html_is_no_answer(self, adapter: AdapterUnderTest) -> None:
        adapter.world.disturb("html")
        with pytest.raises(HostResponseError):
            adapter.host.repository(NAME)

    def test_a_comment_whose_answer_was_lost_stands_and_is_not_written_twice(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = open_pull_request(adapter)
        adapter.world.disturb("busy", "add_comment", times=1, answer_lost=True)
        with pytest.raises(HostBusyError):
            adapter.host.add_comment(NAME, number, MARK)
        assert len(adapter.world.comments_of(NAME, number)) == 1
        assert adapter.host.find_comment(NAME, number, MARK) is not None
