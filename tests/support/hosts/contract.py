"""The duties of every Git provider's adapter: one class of tests for all adapters.

The test module of an adapter derives from ``HostContract`` and defines the fixture ``adapter``.
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
from visual_review.hosts.port import Host, HostPerson, HostStatus, StatusState

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


def people(count: int) -> list[HostPerson]:
    """Return people of a group; every second one hides the e-mail address."""
    return [
        HostPerson(
            f"person-{number}",
            f"Person {number}",
            f"person-{number}@example.com" if number % 2 else "",
            f"https://avatars.test/{number}",
        )
        for number in range(count)
    ]


def members_of(host: Host, group_id: str) -> list[HostPerson]:
    found, page, more = [], 1, True
    while more:
        members, more = host.list_members(group_id, page)
        found, page = [*found, *members], page + 1
    return found


class HostContract:
    def test_the_identity_is_the_accounts_login(self, adapter: AdapterUnderTest) -> None:
        assert adapter.host.get_identity().name == adapter.world.login

    def test_all_repositories_are_listed_over_every_page(self, adapter: AdapterUnderTest) -> None:
        names = {NAME, *(f"acme/part-{number}" for number in range(7))}
        for name in sorted(names - {NAME}):
            adapter.world.add_repository(name)
        found = list(adapter.host.list_repositories())
        assert sorted(one.full_name for one in found) == sorted(names)
        assert len({one.id for one in found}) == len(names)

    def test_a_repository_is_described(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.add_repository("acme/old", "trunk", private=True, archived=True)
        assert adapter.host.get_repository("acme/old") == made
        assert adapter.host.get_repository_by_id(made.id) == made

    def test_names_of_repositories_ignore_case(self, adapter: AdapterUnderTest) -> None:
        assert adapter.host.get_repository(NAME.upper()).full_name == NAME

    def test_an_old_name_leads_to_the_new_one(self, adapter: AdapterUnderTest) -> None:
        known = adapter.host.get_repository(NAME)
        adapter.world.rename_repository(NAME, "acme/site")
        assert adapter.host.get_repository(NAME).full_name == "acme/site"
        assert adapter.host.get_repository_by_id(known.id).full_name == "acme/site"

    def test_pull_requests_of_a_renamed_repository_are_not_from_a_fork(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = open_pull_request(adapter)
        adapter.world.rename_repository(NAME, "acme/site")
        assert adapter.host.get_pull_request(NAME, number).head_repository == "acme/site"

    def test_a_deleted_repository_is_missing(self, adapter: AdapterUnderTest) -> None:
        known = adapter.host.get_repository(NAME)
        adapter.world.remove_repository(NAME)
        with pytest.raises(HostMissingError):
            adapter.host.get_repository(NAME)
        with pytest.raises(HostMissingError):
            adapter.host.get_repository_by_id(known.id)

    def test_a_branch_exists_until_it_is_deleted(self, adapter: AdapterUnderTest) -> None:
        for branch in ("feature", "feature/blue green#1"):
            assert not adapter.host.has_branch(NAME, branch)
            open_pull_request(adapter, branch=branch)
            assert adapter.host.has_branch(NAME, branch)
            adapter.world.delete_branch(NAME, branch)
            assert not adapter.host.has_branch(NAME, branch)
        assert adapter.host.has_branch(NAME, "main")

    def test_a_branch_is_found_under_the_old_name_of_its_repository(
        self, adapter: AdapterUnderTest
    ) -> None:
        adapter.world.rename_repository(NAME, "acme/site")
        assert adapter.host.has_branch(NAME, "main")

    def test_nothing_is_seen_of_the_branches_of_a_deleted_repository(
        self, adapter: AdapterUnderTest
    ) -> None:
        adapter.world.remove_repository(NAME)
        assert not adapter.host.has_branch(NAME, "main")

    def test_an_error_is_no_answer_about_a_branch(self, adapter: AdapterUnderTest) -> None:
        for kind, error in (("busy", HostBusyError), ("html", HostResponseError)):
            adapter.world.add_fault(kind, "has_branch")
            with pytest.raises(error):
                adapter.host.has_branch(NAME, "gone")
            adapter.world.clear_faults()

    def test_a_pull_request_is_described(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.open_pull_request(NAME, "feature", COMMIT, "main", title="Blue")
        assert adapter.host.get_pull_request(NAME, made.number) == made

    def test_a_pull_request_of_a_fork_has_the_forks_name(self, adapter: AdapterUnderTest) -> None:
        made = adapter.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
        assert adapter.host.get_pull_request(NAME, made.number).head_repository == "eve/web"

    def test_a_merged_pull_request_has_its_merge_commit(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        adapter.world.merge_pull_request(NAME, number, MERGED)
        found = adapter.host.get_pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("merged", MERGED)

    def test_a_merged_pull_request_of_a_fork_keeps_its_names(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = adapter.world.open_pull_request(
            NAME, "main", COMMIT, "release", head_repository="eve/web"
        ).number
        made = adapter.world.merge_pull_request(NAME, number, MERGED)
        assert adapter.host.get_pull_request(NAME, number) == made

    def test_a_closed_pull_request_has_no_merge_commit(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        adapter.world.close_pull_request(NAME, number)
        found = adapter.host.get_pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("closed", "")

    def test_an_unknown_pull_request_is_missing(self, adapter: AdapterUnderTest) -> None:
        with pytest.raises(HostMissingError):
            adapter.host.get_pull_request(NAME, 77)

    def test_only_open_pull_requests_are_listed_over_every_page(
        self, adapter: AdapterUnderTest
    ) -> None:
        numbers = [
            open_pull_request(adapter, f"{place:040x}", f"branch-{place}") for place in range(8)
        ]
        adapter.world.close_pull_request(NAME, numbers[0])
        adapter.world.merge_pull_request(NAME, numbers[1])
        found = adapter.host.list_open_pull_requests(NAME)
        assert sorted(pull.number for pull in found) == numbers[2:]

    def test_the_pull_requests_of_a_commit_are_found_in_order(
        self, adapter: AdapterUnderTest
    ) -> None:
        first, second = open_pull_request(adapter), open_pull_request(adapter, branch="other")
        open_pull_request(adapter, OTHER, "third")
        adapter.world.close_pull_request(NAME, open_pull_request(adapter, branch="closed"))
        assert adapter.host.find_pull_requests(NAME, COMMIT) == [first, second]
        assert adapter.host.find_pull_requests(NAME, "f" * 40) == []

    def test_the_newest_status_of_each_context_is_shown(self, adapter: AdapterUnderTest) -> None:
        open_pull_request(adapter)
        for one in (status("pending"), status("failure"), status("pending", "visual-review/app")):
            adapter.host.set_status(NAME, COMMIT, one)
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

    def test_only_our_own_comments_are_found(self, adapter: AdapterUnderTest) -> None:
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

    def test_a_deleted_comment_is_missing(self, adapter: AdapterUnderTest) -> None:
        number = open_pull_request(adapter)
        added = adapter.host.add_comment(NAME, number, MARK)
        adapter.world.delete_comment(NAME, number, added.id)
        assert adapter.host.find_comment(NAME, number, MARK) is None
        with pytest.raises(HostMissingError):
            adapter.host.edit_comment(NAME, number, added.id, MARK)

    def test_comments_of_an_unknown_pull_request_are_missing(
        self, adapter: AdapterUnderTest
    ) -> None:
        with pytest.raises(HostMissingError):
            adapter.host.find_comment(NAME, 77, MARK)
        with pytest.raises(HostMissingError):
            adapter.host.add_comment(NAME, 77, MARK)

    def test_a_revoked_token_is_rejected(self, adapter: AdapterUnderTest) -> None:
        adapter.world.revoke(TOKEN)
        with pytest.raises(HostAccessError):
            adapter.host.get_repository(NAME)
        with pytest.raises(HostAccessError):
            list(adapter.host.list_repositories())

    def test_a_failing_provider_is_a_busy_error(self, adapter: AdapterUnderTest) -> None:
        adapter.world.add_fault("busy")
        with pytest.raises(HostBusyError):
            adapter.host.get_repository(NAME)

    def test_a_rate_limit_says_when_to_retry(self, adapter: AdapterUnderTest) -> None:
        until = datetime.now(UTC) + timedelta(minutes=10)
        adapter.world.add_fault("busy", until=until)
        with pytest.raises(HostBusyError) as caught:
            adapter.host.get_repository(NAME)
        assert caught.value.until is not None
        assert abs(caught.value.until - until) < timedelta(minutes=5)

    def test_an_html_page_is_a_response_error(self, adapter: AdapterUnderTest) -> None:
        adapter.world.add_fault("html")
        with pytest.raises(HostResponseError):
            adapter.host.get_repository(NAME)

    def test_a_comment_whose_response_was_lost_is_not_posted_twice(
        self, adapter: AdapterUnderTest
    ) -> None:
        number = open_pull_request(adapter)
        adapter.world.add_fault("busy", "add_comment", times=1, response_lost=True)
        with pytest.raises(HostBusyError):
            adapter.host.add_comment(NAME, number, MARK)
        assert len(adapter.world.comments_of(NAME, number)) == 1
        assert adapter.host.find_comment(NAME, number, MARK) is not None
