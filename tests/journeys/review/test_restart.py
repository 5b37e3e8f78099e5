"""The web process is killed in the middle of a review and started again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, expect

from tests.support.browser import Visitors
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from tests.support.servers.database_environment import database_environment
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.service import Process, answers, free_port, wait_until
from visual_review.builds.models import ReviewEntry


@dataclass
class WebProcess:
    """``visual-review web`` on the tests' database, at one port for all its starts."""

    service: InProcessService
    folder: Path
    port: int = field(default_factory=free_port)
    process: Process = field(init=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        env = database_environment(
            VISUAL_REVIEW_STORAGE_URL=self.service.blobs.as_uri(),
            VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY,
            VISUAL_REVIEW_PUBLIC_URL=self.url,
        )
        command = ["web", "--port", str(self.port)]
        self.process = Process(command, self.folder / "web.log", env)
        alive = f"{self.url}/healthz"
        wait_until("the web process is alive", lambda: answers(alive), self.process)

    def kill(self) -> None:
        self.process.process.kill()
        self.process.process.wait()


@pytest.fixture
def web(service: InProcessService, tmp_path: Path) -> Iterator[WebProcess]:
    process = WebProcess(service, tmp_path)
    process.start()
    yield process
    process.kill()


def test_the_page_goes_on_where_it_was(
    browser: Browser, web: WebProcess, world: RenderedWorld
) -> None:
    build = publish_changes(world, 5)
    visitors = Visitors(browser, web.url)
    visitor = visitors.open(world.personas.bob)
    page = ReviewPage(visitor)
    page.open(path_of(build))
    page.press("a")
    page.wait_until_saved()
    web.kill()
    page.press("a", "a")
    expect(visitor.page.get_by_text("2 decisions not saved yet")).to_be_visible()
    reached = page.current
    web.start()
    page.wait_until_saved()
    assert page.current == reached
    assert list(world.decisions(build).values()) == ["approved"] * 3
    assert ReviewEntry.objects.filter(build=build).count() == 3
    visitors.close()
