"""Deliveries that wait for a receiver, and the duration of jobs for a Git provider meanwhile."""

import time
from datetime import timedelta
from typing import Final

from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from benchmarks.multiplying import multiply
from visual_review.accounts.models import Organization
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import encrypt
from visual_review.kernel.queue import enqueue
from visual_review.messages.event_types import BUILD_DECIDED
from visual_review.messages.events import enqueue_deliveries
from visual_review.messages.formats import WEBHOOK
from visual_review.messages.models import Channel, Delivery, Event

# Without such a repository the job ends at once: only the wait for its turn remains.
NO_REPOSITORY: Final = "repo_of_a_benchmark"
MOST_SECONDS: Final = 30.0
STEP_SECONDS: Final = 0.001


def fill(count: int) -> str:
    """Store deliveries for a receiver that refuses connections; return the id of the channel."""
    organization = Organization.objects.get()
    data = {"repository": {"id": NO_REPOSITORY, "name": "acme/web"}, "branch": "main"}
    channel = Channel.objects.create(
        organization=organization,
        kind=WEBHOOK,
        # Nothing listens there, and private networks are not allowed either.
        url=encrypt("http://127.0.0.1:9/"),
        types=[BUILD_DECIDED],
        failing_since=now(),
        retry_at=now() + timedelta(hours=1),
    )
    event = Event(organization=organization, type=BUILD_DECIDED, data=data)
    streams = {"key": "'event_' || n", "stream": "'build_' || n / 10"}
    multiply(event, count, streams)
    delivery = Delivery(channel=channel, event_id=0)
    events = f"{Event._meta.db_table} AS event"  # noqa: SLF001 - Django documents it for such uses.
    multiply(delivery, count, {"event_id": "event.id"}, events)
    enqueue_deliveries([channel])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return channel.pk


def measure(count: int) -> list[float]:
    """Return the seconds from enqueueing each of so many jobs until the worker finished the job."""
    return [_run_job() for _ in range(count)]


def _run_job() -> float:
    started = time.monotonic()
    enqueue("ask_repository", repository_id=NO_REPOSITORY)
    waiting = ProcrastinateJob.objects.filter(
        task_name="ask_repository", status__in=("todo", "doing")
    )
    while waiting.exists():
        if time.monotonic() - started > MOST_SECONDS:
            raise TimeoutError
        time.sleep(STEP_SECONDS)
    return time.monotonic() - started
