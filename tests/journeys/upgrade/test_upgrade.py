"""A database and blobs of an older version go on under this one: queued jobs, links, decisions."""

import shutil
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from django.core import signing
from django.core.management import call_command
from django.test import Client, override_settings
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job
from pytest_django.plugin import DjangoDbBlocker

from tests.journeys.upgrade.conftest import DATA
from tests.support.servers.old_database import connected_to, new_database
from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.models import User
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, Build, HostMessage, ReviewEntry
from visual_review.hosts.memory import MemoryWorld, world_of
from visual_review.recordings.models import Recording

HOST: Final = "memory://upgrade"
SECRET_KEY: Final = "the key of a database that an older version left"
REPOSITORY: Final = "acme/web"
HEAD: Final = "a" * 40
MOST_JOBS: Final = 200


@pytest.fixture(scope="module")
def upgraded(
    older: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """The folder of the blobs; every job that the older version queued has run."""
    folder = tmp_path_factory.mktemp("upgrade")
    shutil.copytree(DATA / "blobs", folder / "blobs")
    changed = {
        "STORAGE_URL": (folder / "blobs").as_uri(),
        "WORK_FOLDER": str(folder / "work"),
        "SECRET_KEY": SECRET_KEY,
        "SOURCE_HOSTS": (HOST,),
    }
    with (
        django_db_blocker.unblock(),
        override_settings(**changed),
        new_database("upgraded", older) as name,
        connected_to(name),
    ):
        call_command("migrate", verbosity=0)
        make_host()
        run_queued_jobs()
        yield folder / "blobs"


@pytest.fixture(autouse=True)
def blobs_folder(upgraded: Path) -> Path:
    """The package's own; the settings name it already."""
    return upgraded


@pytest.fixture(autouse=True)
def source_host(upgraded: Path) -> MemoryWorld:  # noqa: ARG001 - The host was filled there.
    return world_of(HOST)


def make_host() -> None:
    """The host as the older version saw it; a host in memory ends with its process."""
    host = world_of(HOST, fresh=True)
    host.add_repository(REPOSITORY)
    host.open_pull_request(REPOSITORY, "feature", HEAD)


def run_queued_jobs() -> None:
    """Run what is queued under the name it is queued by, and what that enqueues."""
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    for _ in range(MOST_JOBS):
        queued = ProcrastinateJob.objects.filter(status="todo", scheduled_at=None)
        row = queued.order_by("id").first()
        if row is None:
            return
        ProcrastinateJob.objects.filter(pk=row.pk)._raw_delete("default")  # noqa: SLF001 - The model is read-only.
        run_job(row)
    pytest.fail("The jobs enqueue each other without end.")


def run_job(row: ProcrastinateJob) -> None:
    task = app.tasks[row.task_name]
    job = Job(
        id=row.pk,
        status="doing",
        queue=row.queue_name,
        lock=row.lock,
        queueing_lock=row.queueing_lock,
        task_name=row.task_name,
        task_kwargs=row.args,
    )
    context = JobContext(app=app, job=job, start_timestamp=time.time(), abort_reason=lambda: None)
    task.func(*([context] if task.pass_context else []), **row.args)


def act(action: str, **values: object) -> dict[str, Any]:
    alice = User.objects.get(email="alice@example.com")
    organization = alice.memberships.get().organization_id
    caller = caller_of_user(alice, organization, "web")
    return dispatch(any_action(action), caller, values).model_dump(mode="json")


def test_every_kind_of_queued_job_ran_under_its_old_name(facts: dict[str, Any]) -> None:
    assert set(facts["jobs"]) == {
        "ask_pull_request",
        "ask_repository",
        "carry_to_target",
        "compare_build",
        "delete_drawn_pictures",
        "process_build",
        "process_recording",
        "tell_host",
        "tell_host_later",
        "tell_payments",
    }
    assert not ProcrastinateJob.objects.filter(status="todo", scheduled_at=None).exists()


def test_the_build_that_waited_is_processed(facts: dict[str, Any]) -> None:
    assert Build.objects.get(pk=facts["waiting"]).status == "completed"


def test_the_host_has_the_statuses_and_the_comments_of_the_outbox(
    source_host: MemoryWorld,
) -> None:
    states = {status.state for status in source_host.statuses_of(REPOSITORY, HEAD).values()}
    comments = [comment.body for comment in source_host.comments_of(REPOSITORY, 1)]
    assert states == {"pending"}
    assert len(comments) == 2
    assert sum("Too blue" in comment for comment in comments) == 1
    assert not HostMessage.objects.filter(state="waiting").exists()


def test_recordings_are_ready(facts: dict[str, Any]) -> None:
    rows = Recording.objects.in_bulk([facts["ready"], facts["pending"]])
    assert {row.status for row in rows.values()} == {"ready"}


def test_an_image_link_of_a_posted_comment_still_opens(
    facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    posted = datetime.fromisoformat(facts["taken"]).timestamp()
    monkeypatch.setattr(signing.time, "time", lambda: posted + 60)
    shown = Client().get(f"/shared-pictures/{facts['sharedImage']}")
    assert (shown.status_code, shown["Content-Type"]) == (200, "image/png")


def test_the_rejection_and_the_audit_log_are_still_there(facts: dict[str, Any]) -> None:
    entry = ReviewEntry.objects.get(build=facts["review"], decision="rejected")
    verbs = set(AuditEntry.objects.values_list("verb", flat=True))
    assert entry.comment == "Too blue"
    assert {"build.approved", "screenshot.rejected"} <= verbs


def test_the_build_in_review_can_be_approved(facts: dict[str, Any]) -> None:
    result = act("approve_build", buildId=facts["review"])
    baseline = Baseline.objects.get(branch="feature")
    assert (result["finalized"], result["reviewState"]) == (True, "approved")
    assert baseline.last_move == 1
