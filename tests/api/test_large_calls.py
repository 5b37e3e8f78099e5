"""Many calls with large results leave the page threads to others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.support.api_keys import user_key
from tests.support.personas import Personas
from tests.support.servers.web import web_server
from tests.support.worlds import World
from visual_review.actions.published import get_build
from visual_review.builds.models import Build, Screenshot
from visual_review.config.http.asgi import THREADS_VARIABLE
from visual_review.config.http.large_calls import MOST_AT_ONCE
from visual_review.kernel import large_calls

CALLS = 6


@pytest.mark.django_db(transaction=True)
def test_large_calls_wait_for_their_turn_without_a_thread(
    personas: Personas, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = World(personas.alice).publish({"a": "red"})
    Screenshot.objects.bulk_create(
        Screenshot(build=build, story_id=f"story-{number}", theme="light", device="phone")
        for number in range(large_calls.LARGE_ROWS)
    )
    Build.objects.filter(pk=build.pk).update(unchanged_count=large_calls.LARGE_ROWS)
    reading = get_build.screenshot_rows
    may_end, begun = threading.Event(), threading.Semaphore(0)

    def wait_and_read(build: Build) -> object:
        begun.release()
        assert may_end.wait(60)
        return reading(build)

    monkeypatch.setattr(get_build, "screenshot_rows", wait_and_read)
    # All of these threads and one more would be taken.
    monkeypatch.setenv(THREADS_VARIABLE, str(CALLS - 1))
    headers = {"Authorization": f"Bearer {user_key(personas.alice)}"}
    with web_server(settings) as url, httpx.Client(base_url=url, timeout=60) as client:

        def call(name: str, **body: str) -> httpx.Response:
            return client.post(f"/api/rest/actions/{name}", json=body, headers=headers)

        with ThreadPoolExecutor(CALLS) as pool:
            calls = [pool.submit(call, "get_build", buildId=build.id) for _ in range(CALLS)]
            try:
                for _ in range(MOST_AT_ONCE):
                    assert begun.acquire(timeout=60)
                assert call("list_repos").status_code == 200
                assert not begun.acquire(timeout=0.2)
            finally:
                may_end.set()
            for response in (each.result() for each in calls):
                assert response.status_code == 200, response.text
                assert response.headers["Content-Encoding"] == "gzip"
                assert "X-Visual-Review-Large" not in response.headers
                shots = response.json()["result"]["build"]["screenshots"]
                assert len(shots) == large_calls.LARGE_ROWS + 1
