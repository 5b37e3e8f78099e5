"""Three browser tests of the example, run like Playwright's runner and reported in its format.

One passes, one fails because the menu ignores Escape, and one passes on the second attempt.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from scripts.demo_film import Film, recording
from visual_review.client.capture.chromium import HOST, find_chromium, local_flags
from visual_review.client.capture.server import StaticServer

# Long enough to be seen, after each step.
PAUSE_MS: Final = 500
EXPECT_MS: Final = 1500
LOAD_MS: Final = 30_000
TOO_SHORT_MS: Final = 1


@dataclass
class Attempt:
    """One run of a test, with steps in the format of the report."""

    film: Film
    retry: int
    steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.film.page

    @contextmanager
    def step(self, title: str) -> Iterator[Page]:
        begun = time.monotonic()
        step: dict[str, Any] = {"title": title}
        self.steps.append(step)
        try:
            yield self.page
            self.film.capture()
            self.page.wait_for_timeout(PAUSE_MS)
        except (AssertionError, PlaywrightError) as error:
            step["error"] = {"message": str(error)}
            raise
        finally:
            step["duration"] = round((time.monotonic() - begun) * 1000)


@dataclass(frozen=True)
class DemoTest:
    file: str
    suite: str
    title: str
    run: Callable[[Attempt, str], None]
    retries: int = 0


def refuses_a_wrong_password(attempt: Attempt, address: str) -> None:
    with attempt.step("Open iframe.html?id=forms-sign-in--empty") as page:
        page.goto(f"{address}/iframe.html?id=forms-sign-in--empty")
        expect(page.get_by_label("Password")).to_be_visible()
    with attempt.step("Fill in address and password") as page:
        page.get_by_label("E-mail address").fill("ada@harbour.example")
        page.get_by_label("Password").fill("starboard")
    with attempt.step("Sign in") as page:
        page.locator("button[type=submit]").click()
    with attempt.step("The error is shown") as page:
        expect(page.get_by_role("alert")).to_be_visible(timeout=EXPECT_MS)


def closes_by_escape(attempt: Attempt, address: str) -> None:
    with attempt.step("Open iframe.html?id=actions-dropdown--open") as page:
        page.goto(f"{address}/iframe.html?id=actions-dropdown--open")
        expect(page.get_by_role("menu")).to_be_visible()
    with attempt.step("Press Escape") as page:
        page.keyboard.press("Escape")
    with attempt.step("The menu is closed") as page:
        expect(page.get_by_role("menu")).to_be_hidden(timeout=EXPECT_MS)


def opens_each_item(attempt: Attempt, address: str) -> None:
    with attempt.step("Open iframe.html?id=content-accordion--first-open") as page:
        # The first attempt gives the page too little time, like a test that needs a fast machine.
        timeout = TOO_SHORT_MS if attempt.retry == 0 else LOAD_MS
        page.goto(f"{address}/iframe.html?id=content-accordion--first-open", timeout=timeout)
        expect(page.locator("summary").first).to_be_visible()
    for number in (1, 2):
        with attempt.step(f"Open item {number + 1}") as page:
            page.locator("summary").nth(number).click()
    with attempt.step("All items are open") as page:
        expect(page.locator("details[open]")).to_have_count(3, timeout=EXPECT_MS)


TESTS: Final = (
    DemoTest("sign-in.spec.ts", "Sign in", "refuses a wrong password", refuses_a_wrong_password),
    DemoTest("dropdown.spec.ts", "Dropdown", "closes by Escape", closes_by_escape),
    DemoTest("accordion.spec.ts", "Accordion", "opens each item", opens_each_item, retries=1),
)


def run_tests(storybook: Path, folder: Path) -> Path:
    """Run all tests against the built ``storybook``; write videos and report into ``folder``.

    Return the path of the report.
    """
    with sync_playwright() as playwright, StaticServer(storybook) as server:
        address = f"http://{HOST}"
        flags = local_flags(server.port, ())
        program = find_chromium(None)
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        suites = [_run_suite(test, browser, address, folder) for test in TESTS]
        browser.close()
    report = folder / "results.json"
    document = {"config": {"rootDir": "tests"}, "suites": suites, "errors": [], "stats": {}}
    report.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return report


def _run_suite(test: DemoTest, browser: Browser, address: str, folder: Path) -> dict[str, Any]:
    results = [_run_test(test, 0, browser, address, folder)]
    while results[-1]["status"] == "failed" and len(results) <= test.retries:
        results.append(_run_test(test, len(results), browser, address, folder))
    passed = results[-1]["status"] == "passed"
    status = ("flaky" if len(results) > 1 else "expected") if passed else "unexpected"
    ran = {"projectName": "chromium", "expectedStatus": "passed", "status": status}
    spec = {"title": test.title, "file": test.file, "tests": [{**ran, "results": results}]}
    inner = {"title": test.suite, "file": test.file, "specs": [spec]}
    return {"title": test.file, "file": test.file, "specs": [], "suites": [inner]}


def _run_test(
    test: DemoTest, retry: int, browser: Browser, address: str, folder: Path
) -> dict[str, Any]:
    name = re.sub("[^a-z]+", "-", f"{test.suite} {test.title}".lower())
    output = folder / (f"{name}-retry{retry}" if retry else name)
    output.mkdir(parents=True)
    started, begun = datetime.now(UTC), time.monotonic()
    errors: list[dict[str, Any]] = []
    with recording(browser, output) as (film, context):
        attempt = Attempt(film, retry)
        context.tracing.start(snapshots=True)
        try:
            test.run(attempt, address)
        except (AssertionError, PlaywrightError) as error:
            errors.append({"message": str(error)})
        # Measured before writing the video and packing the trace: both are not part of the test.
        duration = round((time.monotonic() - begun) * 1000)
        context.tracing.stop(path=output / "trace.zip")
    attachments = [_describe_attachment("trace", "application/zip", output / "trace.zip")]
    # Like Playwright's setting ``on-first-retry``: an attempt with a retry keeps no video.
    if retry or not test.retries:
        attachments.insert(0, _describe_attachment("video", "video/webm", output / "video.webm"))
    else:
        (output / "video.webm").unlink()
    return {
        "status": "failed" if errors else "passed",
        "duration": duration,
        "startTime": started.isoformat(),
        "retry": retry,
        "errors": errors,
        "steps": attempt.steps,
        "attachments": attachments,
    }


def _describe_attachment(name: str, content_type: str, path: Path) -> dict[str, str]:
    return {"name": name, "contentType": content_type, "path": str(path)}
