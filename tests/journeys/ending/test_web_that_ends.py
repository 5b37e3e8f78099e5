"""A stopped web process finishes the requests already begun."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx
import pytest
from django.conf import settings
from django.db import connection, transaction

from tests.support.api_keys import user_key
from tests.support.personas import Personas
from tests.support.servers.service import HTTP, Process, answers, free_port, wait_until
from tests.support.servers.worker import database_environment
from tests.support.worlds import world_with_baseline
from visual_review.builds.models import Build

pytestmark = pytest.mark.django_db(transaction=True)
WAITING: Final = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def web(tmp_path: Path, personas: Personas) -> Iterator[tuple[Process, str]]:  # noqa: ARG001 - Rows first.
    port = free_port()
    environment = database_environment(
        VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY, VISUAL_REVIEW_STORAGE_URL=settings.STORAGE_URL
    )
    process = Process(["web", "--port", str(port)], tmp_path / "web.log", environment)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until("it serves", lambda: answers(f"{url}/healthz"), process)
        yield process, url
    finally:
        process.end(signal.SIGKILL)


def someone_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        row: tuple[int] = cursor.fetchone()
    return row[0] > 0


def test_a_decision_that_has_begun_is_stored_and_answered(
    web: tuple[Process, str], personas: Personas
) -> None:
    process, url = web
    world = world_with_baseline(personas.alice, {"a": "red"})
    build = world.publish({"a": "green"})
    key = user_key(personas.alice)

    def approve() -> httpx.Response:
        return HTTP.post(
            f"{url}/api/rest/actions/approve_build",
            json={"buildId": build.id},
            headers={"Authorization": f"Bearer {key}"},
        )

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            Build.objects.select_for_update().get(pk=build.id)
            response = pool.submit(approve)
            wait_until("the decision waits for the build", someone_waits)
            process.process.send_signal(signal.SIGTERM)
            wait_until("no new request is taken", lambda: not answers(f"{url}/healthz"))
            assert process.process.poll() is None
        assert response.result().status_code == 200
    assert process.process.wait(30) == 0
    assert world.fresh(build).review_state == "approved"
