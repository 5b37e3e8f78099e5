"""What every source host must do, whatever it is; one class of tests for all adapters.

A test module of an adapter derives from ``HostContract`` and gives the fixture ``stage``.
"""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.hosts.stage import NAME, TOKEN, Stage
from visual_review.hosts.errors import (
    HostAnswerError,
    HostBusyError,
    HostMissingError,
    HostRefusedError,
)
from visual_review.hosts.port import HostStatus, StatusState

COMMIT = "a" * 40
OTHER = "b" * 40
MERGED = "c" * 40
MARK = "<!-- visual-review:mark -->"


def status(state: StatusState = "pending", context: str = "visual-review") -> HostStatus:
    return HostStatus(context, state, "2 stories wait for a review", "https://review.test/b/1")


def opened(stage: Stage, commit: str = COMMIT, branch: str = "feature") -> int:
    return stage.world.open_pull_request(NAME, branch, commit).number


class HostContract:
    def test_it_knows_whom_it_speaks_for(self, stage: Stage) -> None:
        assert stage.host.identity().name == stage.world.login

    def test_all_repositories_are_listed_over_every_page(self, stage: Stage) -> None:
        names = {NAME, *(f"acme/part-{number}" for number in range(7))}
        for name in sorted(names - {NAME}):
            stage.world.add_repository(name)
        found = list(stage.host.repositories())
        assert sorted(one.full_name for one in found) == sorted(names)
        assert len({one.id for one in found}) == len(names)

    def test_a_repository_is_described(self, stage: Stage) -> None:
        made = stage.world.add_repository("acme/old", "trunk", private=True, archived=True)
        assert stage.host.repository("acme/old") == made
        assert stage.host.repository_by_id(made.id) == made

    def test_names_of_repositories_have_no_case(self, stage: Stage) -> None:
        assert stage.host.repository(NAME.upper()).full_name == NAME

    def test_a_former_name_leads_to_the_new_one(self, stage: Stage) -> None:
        known = stage.host.repository(NAME)
        stage.world.rename_repository(NAME, "acme/site")
        assert stage.host.repository(NAME).full_name == "acme/site"
        assert stage.host.repository_by_id(known.id).full_name == "acme/site"

    def test_pull_requests_of_a_renamed_repository_come_from_no_fork(self, stage: Stage) -> None:
        number = opened(stage)
        stage.world.rename_repository(NAME, "acme/site")
        assert stage.host.pull_request(NAME, number).head_repository == "acme/site"

    def test_a_repository_that_is_gone_is_missing(self, stage: Stage) -> None:
        known = stage.host.repository(NAME)
        stage.world.remove_repository(NAME)
        with pytest.raises(HostMissingError):
            stage.host.repository(NAME)
        with pytest.raises(HostMissingError):
            stage.host.repository_by_id(known.id)

    def test_a_pull_request_is_described(self, stage: Stage) -> None:
        made = stage.world.open_pull_request(NAME, "feature", COMMIT, "main", title="Blue")
        assert stage.host.pull_request(NAME, made.number) == made

    def test_a_pull_request_of_a_fork_names_the_fork(self, stage: Stage) -> None:
        made = stage.world.open_pull_request(NAME, "main", COMMIT, head_repository="eve/web")
        assert stage.host.pull_request(NAME, made.number).head_repository == "eve/web"

    def test_a_merged_pull_request_names_its_commit_on_the_target(self, stage: Stage) -> None:
        number = opened(stage)
        stage.world.merge_pull_request(NAME, number, MERGED)
        found = stage.host.pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("merged", MERGED)

    def test_a_merged_pull_request_of_a_fork_keeps_its_names(self, stage: Stage) -> None:
        number = stage.world.open_pull_request(
            NAME, "main", COMMIT, "release", head_repository="eve/web"
        ).number
        made = stage.world.merge_pull_request(NAME, number, MERGED)
        assert stage.host.pull_request(NAME, number) == made

    def test_a_closed_pull_request_names_none(self, stage: Stage) -> None:
        number = opened(stage)
        stage.world.close_pull_request(NAME, number)
        found = stage.host.pull_request(NAME, number)
        assert (found.state, found.merge_commit) == ("closed", "")

    def test_a_pull_request_that_is_not_there_is_missing(self, stage: Stage) -> None:
        with pytest.raises(HostMissingError):
            stage.host.pull_request(NAME, 77)

    def test_only_open_pull_requests_are_listed_over_every_page(self, stage: Stage) -> None:
        numbers = [opened(stage, f"{place:040x}", f"branch-{place}") for place in range(8)]
        stage.world.close_pull_request(NAME, numbers[0])
        stage.world.merge_pull_request(NAME, numbers[1])
        found = stage.host.open_pull_requests(NAME)
        assert sorted(pull.number for pull in found) == numbers[2:]

    def test_the_pull_requests_of_a_commit_are_found_in_order(self, stage: Stage) -> None:
        first, second = opened(stage), opened(stage, branch="other")
        opened(stage, OTHER, "third")
        stage.world.close_pull_request(NAME, opened(stage, branch="closed"))
        assert stage.host.pull_requests_of(NAME, COMMIT) == [first, second]
        assert stage.host.pull_requests_of(NAME, "f" * 40) == []

    def test_the_newest_status_of_each_context_stands(self, stage: Stage) -> None:
        opened(stage)
        for told in (status("pending"), status("failure"), status("pending", "visual-review/app")):
            stage.host.set_status(NAME, COMMIT, told)
        stage.host.set_status(NAME, COMMIT, status("success"))
        wanted = [status("success"), status("pending", "visual-review/app")]
        assert stage.world.statuses_of(NAME, COMMIT) == {one.context: one for one in wanted}

    @pytest.mark.parametrize("state", ["pending", "success", "failure", "error"])
    def test_every_state_can_be_told(self, stage: Stage, state: StatusState) -> None:
        opened(stage)
        stage.host.set_status(NAME, COMMIT, status(state))
        assert stage.world.statuses_of(NAME, COMMIT) == {"visual-review": status(state)}

    def test_a_comment_is_added_found_and_edited(self, stage: Stage) -> None:
        number = opened(stage)
        added = stage.host.add_comment(NAME, number, f"{MARK}\nOne change")
        assert stage.host.find_comment(NAME, number, MARK) == added
        stage.host.edit_comment(NAME, number, added.id, f"{MARK}\nNo change")
        found = stage.host.find_comment(NAME, number, MARK)
        assert found is not None
        assert (found.id, found.body) == (added.id, f"{MARK}\nNo change")
        assert len(stage.world.comments_of(NAME, number)) == 1

    def test_only_comments_of_our_own_are_found(self, stage: Stage) -> None:
        number = opened(stage)
        stage.world.write_comment(NAME, number, f"> {MARK} I quote it")
        assert stage.host.find_comment(NAME, number, MARK) is None

    def test_a_comment_is_found_behind_many_others(self, stage: Stage) -> None:
        number = opened(stage)
        for place in range(10):
            stage.world.write_comment(NAME, number, f"Comment {place}")
        added = stage.host.add_comment(NAME, number, MARK)
        assert stage.host.find_comment(NAME, number, MARK) == added

    def test_a_comment_keeps_every_character(self, stage: Stage) -> None:
        number = opened(stage)
        body = f'{MARK}\n`<b>` \\ "quoted" & 100 % ünï 🎨\n\n| a | b |\n'
        stage.host.add_comment(NAME, number, body)
        assert [one.body for one in stage.world.comments_of(NAME, number)] == [body]

    def test_a_comment_that_was_deleted_is_missing(self, stage: Stage) -> None:
        number = opened(stage)
        added = stage.host.add_comment(NAME, number, MARK)
        stage.world.delete_comment(NAME, number, added.id)
        assert stage.host.find_comment(NAME, number, MARK) is None
        with pytest.raises(HostMissingError):
            stage.host.edit_comment(NAME, number, added.id, MARK)

    def test_comments_of_a_pull_request_that_is_gone_are_missing(self, stage: Stage) -> None:
        with pytest.raises(HostMissingError):
            stage.host.find_comment(NAME, 77, MARK)
        with pytest.raises(HostMissingError):
            stage.host.add_comment(NAME, 77, MARK)

    def test_a_revoked_token_is_refused(self, stage: Stage) -> None:
        stage.world.revoke(TOKEN)
        with pytest.raises(HostRefusedError):
            stage.host.repository(NAME)
        with pytest.raises(HostRefusedError):
            list(stage.host.repositories())

    def test_a_host_that_fails_is_busy(self, stage: Stage) -> None:
        stage.world.disturb("busy")
        with pytest.raises(HostBusyError):
            stage.host.repository(NAME)

    def test_a_busy_host_says_when_to_come_again(self, stage: Stage) -> None:
        until = datetime.now(UTC) + timedelta(minutes=10)
        stage.world.disturb("busy", until=until)
        with pytest.raises(HostBusyError) as caught:
            stage.host.repository(NAME)
        assert caught.value.until is not None
        assert abs(caught.value.until - until) < timedelta(minutes=5)

    def test_a_page_of_html_is_no_answer(self, stage: Stage) -> None:
        stage.world.disturb("html")
        with pytest.raises(HostAnswerError):
            stage.host.repository(NAME)

    def test_a_comment_whose_answer_was_lost_stands_and_is_not_written_twice(
        self, stage: Stage
    ) -> None:
        number = opened(stage)
        stage.world.disturb("busy", "add_comment", times=1, answer_lost=True)
        with pytest.raises(HostBusyError):
            stage.host.add_comment(NAME, number, MARK)
        assert len(stage.world.comments_of(NAME, number)) == 1
        assert stage.host.find_comment(NAME, number, MARK) is not None
