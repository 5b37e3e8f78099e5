"""One tab of a real Chromium: the network's latency, the memory, and the probe's notes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from benchmarks.page.server_times import PageError
from visual_review.client.capture.chromium import find_chromium

PROBE: Final = Path(__file__).with_name("probe.js")
WINDOW: Final = {"width": 1440, "height": 900}
MILLISECONDS: Final = 60_000
PATIENCE: Final = 20.0


@dataclass(frozen=True)
class Tab:
    browser: Browser
    page: Page
    network: CDPSession

    def add_latency(self, seconds: float) -> None:
        """Add latency to every request, without limiting the speed of the bytes."""
        self.network.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": seconds * 1000,
                "downloadThroughput": -1,
                "uploadThroughput": -1,
            },
        )

    def probe(self) -> dict[str, Any]:
        """Return the notes of the page's probe until now, times in milliseconds."""
        noted: dict[str, Any] = self.page.evaluate("JSON.parse(JSON.stringify(window.pageProbe))")
        return noted

    def wait_for(self, what: str, script: str) -> None:
        # Playwright's own function evaluates strings in the page, forbidden by the page's policy.
        for _ in range(int(PATIENCE / 0.02)):
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(20)
        raise PageError(f"The page did not show this within {PATIENCE:.0f} s: {what}")

    def memory(self) -> int:
        """Return the private bytes of the tab's process, after a collection of garbage."""
        self.network.send("HeapProfiler.collectGarbage")
        session = self.browser.new_browser_cdp_session()
        found = session.send("SystemInfo.getProcessInfo")["processInfo"]
        session.detach()
        renderers = [each["id"] for each in found if each["type"] == "renderer"]
        return max(int(psutil.Process(each).memory_full_info().uss) for each in renderers)


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's sandbox does not start for root, and CI machines often run as root.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=find_chromium(None), args=flags)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def signed_in_context(
    browser: Browser, url: str, cookies: dict[str, str]
) -> Iterator[BrowserContext]:
    """Yield a window with an empty cache."""
    context = browser.new_context(viewport=WINDOW)  # type: ignore[arg-type]
    context.set_default_timeout(MILLISECONDS)
    context.add_cookies(
        [{"name": name, "value": value, "url": url} for name, value in cookies.items()]
    )
    context.add_init_script(path=PROBE)
    try:
        yield context
    finally:
        context.close()


def open_tab(browser: Browser, context: BrowserContext, latency: float) -> Tab:
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    tab = Tab(browser, page, network)
    tab.add_latency(latency)
    return tab
