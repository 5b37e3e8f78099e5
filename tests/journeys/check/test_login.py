"""`visual-review login`: a person confirms in a real browser; the tokens are renewed and end."""

import json
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import httpx
import pytest
from playwright.sync_api import Page
from scripts.conformance_sign_in import sign_in as sign_in_on_page
from scripts.demo_server import PROGRAM, DemoServer

from tests.journeys.check.conftest import CheckedProject
from tests.support.browser import open_browser
from tests.support.mcp.sign_in import Person
from visual_review.client.transport.errors import InputError
from visual_review.client.transport.sign_in import StoredSignIn, TokenFile, sign_in


@pytest.fixture(scope="module")
def page(server: DemoServer) -> Iterator[Page]:
    with open_browser() as browser:
        opened = browser.new_context().new_page()
        sign_in_on_page(opened, f"{server.url}/account", server.email, server.password)
        yield opened


class Login:
    """A sign-in in a thread; the sign-in waits for the person at the browser."""

    def __init__(self, server: DemoServer, file: TokenFile) -> None:
        self._urls: Queue[str] = Queue()
        self._errors: list[Exception] = []
        self._thread = threading.Thread(target=self._run, args=(server.url, file))
        self._thread.start()

    def _run(self, url: str, file: TokenFile) -> None:
        try:
            sign_in(url, file, self._urls.put)
        except InputError as error:
            self._errors.append(error)

    def page(self) -> str:
        return self._urls.get(timeout=30)

    def end(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()
        for error in self._errors:
            raise error


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "config" / "tokens.json")


def allow(page: Page) -> None:
    # Only read access is asked for, so there is nothing to choose.
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url("**/callback?*")


def check(project: CheckedProject, file: TokenFile) -> subprocess.CompletedProcess[str]:
    # In a process of its own: the test's browser and the capture's browser each need a loop.
    variables = {"VISUAL_REVIEW_KEY": "", "VISUAL_REVIEW_TOKEN_FILE": str(file.path)}
    named = ("--repository", project.job.name)
    return subprocess.run(
        [str(PROGRAM), "check", *named],
        env=project.storybook.environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )


def signed_in(server: DemoServer, file: TokenFile, page: Page) -> StoredSignIn:
    login, person = Login(server, file), Person(page, server.url)
    person.read({"open": login.page()})
    allow(page)
    login.end()
    return StoredSignIn(server.url, file)


def test_a_person_signs_in_and_checks(
    server: DemoServer, file: TokenFile, page: Page, project: CheckedProject
) -> None:
    login, person = Login(server, file), Person(page, server.url)
    text = person.read({"open": login.page()})
    assert "visual-review on " in text
    allow(page)
    login.end()
    assert "You can close this page" in page.locator("body").inner_text()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    done = check(project, file)
    assert done.returncode == 0, done.stderr


def test_a_person_who_declines_is_not_signed_in(
    server: DemoServer, file: TokenFile, page: Page
) -> None:
    login, person = Login(server, file), Person(page, server.url)
    person.read({"open": login.page()})
    person.deny()
    with pytest.raises(InputError, match="was not confirmed"):
        login.end()
    assert not file.path.exists()


def test_another_page_cannot_end_the_sign_in(
    server: DemoServer, file: TokenFile, page: Page
) -> None:
    login, person = Login(server, file), Person(page, server.url)
    asked = login.page()
    redirect = httpx.URL(httpx.URL(asked).params["redirect_uri"])
    forged = redirect.copy_merge_params({"code": "forged", "state": "guessed"})
    # Browsers open connections without using them.
    with socket.create_connection((redirect.host, redirect.port)):
        httpx.get(forged)
    httpx.get(redirect.copy_with(path="/other"))
    person.read({"open": asked})
    allow(page)
    login.end()
    assert StoredSignIn(server.url, file).exists()


def expire(file: TokenFile) -> None:
    body = json.loads(file.path.read_text())
    for tokens in body.values():
        tokens["expires_at"] = time.time() - 1
    file.path.write_text(json.dumps(body))


def test_several_processes_renew_the_tokens_once(
    server: DemoServer, file: TokenFile, page: Page
) -> None:
    stored = signed_in(server, file, page)
    before = stored()
    expire(file)
    with ThreadPoolExecutor(4) as pool:
        # Each has a lock of its own, like a process.
        runs = [StoredSignIn(server.url, TokenFile(file.path)) for _ in range(4)]
        renewed = set(pool.map(lambda run: run(), runs))
    assert len(renewed) == 1
    assert before not in renewed


def test_a_sign_in_that_ended_is_explained(
    server: DemoServer, file: TokenFile, page: Page, project: CheckedProject
) -> None:
    signed_in(server, file, page)
    Person(page, server.url).disconnect(f"visual-review on {socket.gethostname()}")
    done = check(project, file)
    assert done.returncode == 2
    assert "visual-review login" in done.stderr
    expire(file)
    done = check(project, file)
    assert done.returncode == 2
    assert "visual-review login" in done.stderr


def test_a_server_of_another_name_gets_no_tokens(server: DemoServer, file: TokenFile) -> None:
    other = server.url.replace("127.0.0.1", "localhost")
    with pytest.raises(InputError, match="is called"):
        sign_in(other, file, lambda _: None)
    assert not file.path.exists()
