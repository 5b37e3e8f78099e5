"""``/metrics`` on a port of its own: figures of the process, and in web the database's figures."""

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import Any, Final, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from django.conf import settings
from django.db import Error, connection, transaction
from prometheus_client import make_wsgi_app
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from visual_review.config.environment import METRICS_PORT
from visual_review.config.http.listener import bind
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.metrics import REGISTRY

PATH: Final = "/metrics"
# However many programs read the figures, the database is asked no more often.
FRESH_SECONDS: Final = 10.0
# The figure of a slower query is missing.
QUERY_MILLISECONDS: Final = 2000
# A client without a request keeps its thread for so long.
CLIENT_SECONDS: Final = 10

logger = logging.getLogger(__name__)


class Figure(NamedTuple):
    """A gauge; ``query`` returns rows of the labels' values and the figure."""

    name: str
    description: str
    labels: tuple[str, ...]
    query: str


# All times are of the database's clock. Waiting rows have partial indexes, however much is stored.
FIGURES: Final = (
    Figure(
        "visual_review_worker_last_seen_seconds",
        "Seconds since the last heartbeat of any worker.",
        (),
        "SELECT coalesce(min(abs(extract(epoch FROM now() - last_heartbeat))), 'Infinity') "
        "FROM procrastinate_workers",
    ),
    Figure(
        "visual_review_clock_difference_seconds",
        "By how much the clock of this process is ahead of the database's.",
        (),
        "SELECT %(clock)s - extract(epoch FROM clock_timestamp())::float8",
    ),
    Figure(
        "visual_review_jobs",
        "Jobs by kind and state: waiting, running, scheduled for later, or failed for good.",
        ("job", "state"),
        "SELECT task_name, CASE WHEN status = 'doing' THEN 'running' "
        "WHEN scheduled_at > now() THEN 'scheduled' ELSE 'waiting' END AS state, count(*) "
        "FROM procrastinate_jobs WHERE status IN ('todo', 'doing') GROUP BY 1, 2 "
        "UNION ALL SELECT task_name, 'failed', count(*) "
        "FROM procrastinate_jobs WHERE status = 'failed' GROUP BY 1",
    ),
    Figure(
        "visual_review_jobs_oldest_seconds",
        "Seconds since the oldest waiting job of a kind could have run.",
        ("job",),
        "SELECT task_name, extract(epoch FROM now() - greatest(scheduled_at, ("
        "SELECT min(at) FROM procrastinate_events WHERE job_id = jobs.id AND type = 'deferred'"
        "))) FROM procrastinate_jobs AS jobs WHERE id IN ("
        "SELECT min(id) FROM procrastinate_jobs WHERE status = 'todo' "
        "AND (scheduled_at IS NULL OR scheduled_at <= now()) GROUP BY task_name)",
    ),
    Figure(
        "visual_review_builds",
        "Stored builds by status and review state.",
        ("status", "review"),
        "SELECT status, review_state, count(*) FROM builds_build GROUP BY 1, 2",
    ),
    Figure(
        "visual_review_outbox_messages",
        "Messages that wait to be sent: to Git providers (host) and to channels.",
        ("to",),
        "SELECT 'host', count(*) FROM builds_hostmessage WHERE state = 'waiting' "
        "UNION ALL SELECT 'channel', count(*) FROM outgoing_delivery WHERE state = 'waiting'",
    ),
    Figure(
        "visual_review_outbox_oldest_seconds",
        "Seconds since the oldest message that waits was written; 0 if none does.",
        ("to",),
        "SELECT 'host', coalesce(extract(epoch FROM now() - min(changed_at)), 0) "
        "FROM builds_hostmessage WHERE state = 'waiting' "
        "UNION ALL SELECT 'channel', coalesce((SELECT extract(epoch FROM now() - created_at) "
        "FROM outgoing_event WHERE id = "
        "(SELECT min(event_id) FROM outgoing_delivery WHERE state = 'waiting')), 0)",
    ),
    Figure(
        "visual_review_storage_bytes",
        "Stored bytes by content, as measured last (every night, and when someone asks).",
        ("content",),
        "WITH newest AS (SELECT DISTINCT ON (organization_id) * FROM repositories_storageuse "
        "WHERE repository_id IS NULL ORDER BY organization_id, measured_at DESC) "
        "SELECT content, coalesce(sum(bytes), 0) FROM newest, LATERAL (VALUES "
        "('images', images_bytes), ('rendered', pictures_bytes), ('recordings', recordings_bytes)"
        ") AS contents(content, bytes) GROUP BY 1",
    ),
)


class DatabaseFigures(Collector):
    """Reads the figures of the database, at most once in some seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._families: list[Metric] = []

    def collect(self) -> list[Metric]:
        with self._lock:
            if time.monotonic() > self._read_at + FRESH_SECONDS:
                self._families = [*read_figures(), *_free_bytes()]
                self._read_at = time.monotonic()
            return self._families


def read_figures() -> Iterator[Metric]:
    """Yield the figures of the database, and the number of missing ones."""
    missing = 0
    try:
        # Otherwise, each figure would wait for an unresponsive database.
        connection.ensure_connection()
        for figure in FIGURES:
            try:
                yield _read_figure(figure)
            except Error as error:
                missing += 1
                logger.warning("%s could not be read: %s", figure.name, error)
    except Error as error:
        missing = len(FIGURES)
        logger.warning("the database is not available: %s", error)
    finally:
        connection.close()
    name = "visual_review_figures_missing"
    yield GaugeMetricFamily(name, "Figures that the database did not give in time.", missing)


def _read_figure(figure: Figure) -> GaugeMetricFamily:
    family = GaugeMetricFamily(figure.name, figure.description, labels=figure.labels)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {QUERY_MILLISECONDS}")
        cursor.execute(figure.query, {"clock": time.time()})
        for *labels, value in cursor.fetchall():
            family.add_metric(labels, float(value))
    return family


def _free_bytes() -> Iterator[Metric]:
    folder = blob_store().folder
    if folder is not None and folder.exists():
        name = "visual_review_storage_free_bytes"
        free = shutil.disk_usage(folder).free
        yield GaugeMetricFamily(name, "Free bytes of the disk with the folder of images.", free)


def serve_metrics(
    address: tuple[str, int], setting: str, probes: Mapping[str, Callable[[], bool]]
) -> None:
    """Serve ``/metrics`` and the probes by their paths, in threads ending with the process.

    Raises StartupError, naming ``setting``, if the port cannot be used.
    """
    listener = bind(*address, setting)
    server = _Server(address, _Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = address
    server.setup_environ()
    ProcessCollector(registry=REGISTRY)
    metrics = make_wsgi_app(REGISTRY)

    def respond(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - As WSGI has it.
        path = environ["PATH_INFO"]
        if path == PATH:
            return metrics(environ, start_response)
        status = HTTPStatus.NOT_FOUND
        if path in probes:
            status = HTTPStatus.OK if probes[path]() else HTTPStatus.SERVICE_UNAVAILABLE
        start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain")])
        return [f"{status.phrase}\n".encode()]

    server.set_app(respond)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    logger.info("metrics are at http://%s:%s%s", *address, PATH)


def serve_metrics_of_web() -> None:
    """Serve the figures of a web process and of the database, if the port is set."""
    if settings.METRICS_PORT:
        REGISTRY.register(DatabaseFigures())
        serve_metrics((settings.METRICS_HOST, settings.METRICS_PORT), METRICS_PORT, {})


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = CLIENT_SECONDS

    def log_message(self, *arguments: object) -> None:
        """Log no request, as probes and scrapes come every few seconds."""
