"""The figures of the database for ``/metrics``."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection

from tests.support.hosted_world import world_with_build
from tests.support.personas import Personas
from visual_review.builds.models import HostMessage
from visual_review.config.http import metrics
from visual_review.config.http.metrics import DatabaseFigures
from visual_review.kernel.clock import now
from visual_review.repositories.models import StorageUse


@pytest.fixture(autouse=True)
def no_jobs(transactional_db: None) -> Iterator[None]:  # noqa: ARG001 - It opens the database.
    """Empty tables of the queue, since Django leaves their rows."""
    _delete_jobs()
    yield
    _delete_jobs()


def _delete_jobs() -> None:
    execute("DELETE FROM procrastinate_jobs")
    execute("DELETE FROM procrastinate_workers")


def execute(query: str, *values: str | float | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(query, values)


def add_job(name: str, status: str, *, queued_ago: int, runs_in: int | None = None) -> None:
    execute(
        "WITH job AS (INSERT INTO procrastinate_jobs (queue_name, task_name, status, scheduled_at) "
        "VALUES ('builds', %s, %s, now() + make_interval(secs => %s)) RETURNING id) "
        "SELECT id FROM job",
        name,
        status,
        runs_in,
    )
    execute(
        "UPDATE procrastinate_events SET at = now() - make_interval(secs => %s) "
        "WHERE type = 'deferred' AND job_id = (SELECT max(id) FROM procrastinate_jobs)",
        queued_ago,
    )


def figures() -> dict[tuple[str, ...], float]:
    """Return each value by the figure's name, without the prefix, and the values of the labels."""
    return {
        (sample.name.removeprefix("visual_review_"), *sample.labels.values()): sample.value
        for family in DatabaseFigures().collect()
        for sample in family.samples
    }


def test_jobs_are_counted_by_kind_and_state() -> None:
    add_job("process_build", "todo", queued_ago=300)
    add_job("process_build", "todo", queued_ago=200)
    add_job("process_build", "doing", queued_ago=400)
    add_job("tell_host", "todo", queued_ago=500, runs_in=600)
    add_job("compare_build", "todo", queued_ago=500, runs_in=-60)
    add_job("compare_build", "succeeded", queued_ago=900)
    add_job("compare_build", "failed", queued_ago=900)
    found = figures()
    assert {key[1:]: value for key, value in found.items() if key[0] == "jobs"} == {
        ("process_build", "waiting"): 2,
        ("process_build", "running"): 1,
        ("tell_host", "scheduled"): 1,
        ("compare_build", "waiting"): 1,
        ("compare_build", "failed"): 1,
    }
    ages = {key[1]: value for key, value in found.items() if key[0] == "jobs_oldest_seconds"}
    # A job scheduled for later waits only since then.
    assert ages == {
        "process_build": pytest.approx(300, abs=20),
        "compare_build": pytest.approx(60, abs=20),
    }


def test_the_outbox_and_the_builds_are_counted(personas: Personas) -> None:
    world_with_build(personas.alice, {"a": "red"})
    assert HostMessage.objects.filter(state="waiting").count() == 3
    HostMessage.objects.update(changed_at=now() - timedelta(minutes=5))
    found = figures()
    assert found["outbox_messages", "host"] == 3
    assert found["outbox_oldest_seconds", "host"] == pytest.approx(300, abs=20)
    assert found["outbox_messages", "channel"] == found["outbox_oldest_seconds", "channel"] == 0
    assert found["builds", "completed", "unreviewed"] == 1


def test_the_newest_measurement_of_each_organization_is_added_up(personas: Personas) -> None:
    for persona, size in ((personas.alice, 10), (personas.mallory, 5)):
        for days, factor in ((0, 1), (1, 100)):
            StorageUse.objects.create(
                organization_id=persona.caller.organization_id,
                images_bytes=size * factor,
                recordings_bytes=1,
                measured_at=now() - timedelta(days=days),
            )
    found = figures()
    assert found["storage_bytes", "images"] == 15
    assert found["storage_bytes", "recordings"] == 2


def test_it_is_said_that_no_worker_was_ever_seen() -> None:
    assert figures()["worker_last_seen_seconds",] == float("inf")
    execute("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 min')")
    assert figures()["worker_last_seen_seconds",] == pytest.approx(60, abs=20)


def test_a_slow_query_is_given_up_and_the_others_are_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow = metrics.Figure("visual_review_slow", "Never comes.", (), "SELECT pg_sleep(60)")
    monkeypatch.setattr(metrics, "FIGURES", (slow, *metrics.FIGURES))
    monkeypatch.setattr(metrics, "QUERY_MILLISECONDS", 200)
    found = figures()
    assert found["figures_missing",] == 1
    assert ("worker_last_seen_seconds",) in found
    assert "visual_review_slow could not be read" in caplog.text


def test_without_a_database_its_figures_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "/nonexistent")
        # The pool has connections already.
        patch.setitem(connection.settings_dict["OPTIONS"], "pool", None)
        found = figures()
    assert found.keys() <= {("figures_missing",), ("storage_free_bytes",)}
    assert found["figures_missing",] == len(metrics.FIGURES)
