"""Failed jobs: the page of an organization, the command for all of them, and running them again."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils.html import escape
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.database import current_personas
from tests.support.failed_jobs import fail_job
from tests.support.host_accounts import connect_account
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import CommandResult
from tests.support.servers.worker import database_environment
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.jobs.upkeep.rescue_interrupted_jobs import delete_finished_jobs
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnavailableError
from visual_review.kernel.queue import QUEUES
from visual_review.repositories.failed_jobs import (
    NO_REASON,
    list_failed_jobs,
    record_failure,
)
from visual_review.repositories.models import JobFailure
from visual_review.web.views import outbox

# Jobs of no organization.
PERSONAL = {"forget_person", "mail_password_change", "mail_password_link", "tell_payments"}
PAGE = "/failed-jobs"


def job(number: int) -> ProcrastinateJob:
    found: ProcrastinateJob = ProcrastinateJob.objects.get(pk=number)
    return found


def commanded(*arguments: str) -> CommandResult:
    return run_in_process(["jobs", *arguments], database_environment())


def test_the_page_lists_what_failed_and_why(personas: Personas) -> None:
    alice = signed_in(personas.alice)
    assert "No failed jobs" in alice.get(PAGE).text
    assert PAGE not in alice.get("/").text
    owner, world = personas.alice.organization.id, World(personas.alice)
    build = world.publish({"a": "red"})
    fail_job("compare_build", "It's <gone>.", build_id=build.id, organization_id=owner)
    fail_job("tell_host", repository_id=world.repository.id, stream="x")
    page = alice.get(PAGE).text
    assert f'<a href="/builds/{build.id}">Compare a build</a>' in page
    assert f'<a href="/repositories/{world.repository.id}">Notify the Git provider</a>' in page
    assert escape("It's <gone>.") in page
    assert escape(NO_REASON) in page
    assert PAGE in alice.get("/").text
    for other in (personas.bob, personas.carol):
        assert PAGE not in signed_in(other).get("/").text


def test_the_page_says_that_more_jobs_failed(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_LISTED", 2)
    alice, owner = signed_in(personas.alice), personas.alice.organization.id
    numbers = [fail_job("compare_build", organization_id=owner) for _ in range(2)]
    assert "Only the newest" not in alice.get(PAGE).text
    numbers.append(fail_job("compare_build", organization_id=owner))
    page = alice.get(PAGE).text
    assert "Only the newest 2 jobs are listed." in page
    assert [f'id="job-{number}"' in page for number in numbers] == [False, True, True]


def test_no_job_of_another_organization_is_listed_or_run(personas: Personas, case: Case) -> None:
    owner, world = personas.alice.organization.id, World(personas.alice)
    account = connect_account(personas.alice, world.repository.full_name)
    owned: dict[str, Any] = {
        "organization_id": owner,
        "repository_id": world.repository.id,
        "account_id": account.pk,
    }
    for name, value in owned.items():
        with case(name):
            number = fail_job("compare_build", "Mine.", **{name: value})
            assert [each.id for each in list_failed_jobs(owner)] == [number]
            mallory = signed_in(personas.mallory)
            assert "Mine." not in mallory.get(PAGE).text
            mallory.post(f"{PAGE}/{number}")
            assert job(number).status == "failed"
    number = fail_job("mail_password_link", user_id=personas.alice.user.id)
    signed_in(personas.alice).post(f"{PAGE}/{number}")
    assert job(number).status == "failed"


def test_a_job_runs_again_with_all_of_its_attempts(personas: Personas) -> None:
    number = fail_job("compare_build", "Gone.", organization_id=personas.alice.organization.id)
    alice = signed_in(personas.alice)
    assert "runs again" in alice.post(f"{PAGE}/{number}", follow=True).text
    assert (job(number).status, job(number).attempts) == ("todo", 0)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.verb, entry.target_id) == ("job.run_again", str(number))
    # Pressed twice: by then, the job is running.
    assert "no failed job" in alice.post(f"{PAGE}/{number}", follow=True).text


def test_a_job_gives_way_to_an_equal_job_that_waits(personas: Personas) -> None:
    owner = personas.alice.organization.id
    number = fail_job("compare_build", once="one", organization_id=owner)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock) "
            "VALUES ('builds', 'compare_build', 'one')"
        )
    signed_in(personas.alice).post(f"{PAGE}/{number}")
    assert job(number).status == "aborted"
    assert list_failed_jobs(owner) == []


@pytest.mark.django_db
def test_a_reason_is_written_for_users_and_is_deleted_with_its_job() -> None:
    ours, other = fail_job("compare_build"), fail_job("compare_build")
    record_failure(ours, UnavailableError("The storage does not respond."))
    record_failure(other, ValueError("a secret"))
    reasons = {each.id: each.reason for each in list_failed_jobs()}
    assert reasons[ours] == "The storage does not respond."
    assert reasons[other] == "The last error was ValueError; see the service's log for details."
    with connection.cursor() as cursor:
        long_ago = now() - timedelta(days=29)
        cursor.execute(
            "UPDATE procrastinate_events SET at = %s WHERE job_id = %s", [long_ago, ours]
        )
    delete_finished_jobs(timestamp=0)
    assert [each.job_id for each in JobFailure.objects.all()] == [other]


def test_every_job_of_an_organization_has_a_title() -> None:
    assert outbox.TITLES.keys() == QUEUES.keys() - PERSONAL


@pytest.mark.django_db(transaction=True)
def test_the_command_lists_all_and_runs_them_again() -> None:
    alice = current_personas().alice
    assert commanded("list").err == "No job has failed.\n"
    numbers = [
        fail_job("compare_build", "Gone.", build_id="b1", organization_id=alice.organization.id),
        fail_job("forget_finished_jobs", "Broken.", timestamp=3),
    ]
    listed = commanded("list").out.splitlines()
    assert [line.split()[:2] for line in listed[1:]] == [
        [str(numbers[1]), "forget_finished_jobs"],
        [str(numbers[0]), "compare_build"],
    ]
    assert "build_id=b1" in listed[2]
    refused = commanded("run-again", str(numbers[0]), "99999999")
    assert (refused.code, job(numbers[0]).status) == (2, "failed")
    assert "no failed job 99999999" in refused.err
    assert commanded("run-again").code == 2
    assert commanded("run-again", str(numbers[0])).out == "1 job runs again.\n"
    assert [job(number).status for number in numbers] == ["todo", "failed"]
    assert commanded("run-again", "--all").out == "1 job runs again.\n"
    assert job(numbers[1]).status == "todo"
