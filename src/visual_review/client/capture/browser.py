"""Starts the browsers of a run: in their sandbox if possible, without any credential."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Playwright, async_playwright
from playwright.async_api import Error as BrowserError

from visual_review.client.capture.chromium import find_chromium, local_flags, stable_flags
from visual_review.client.capture.environment import driver_environment, select_variables
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.results import CaptureSettings, Renderer
from visual_review.client.capture.sandbox import (
    WRAPPER,
    Failure,
    Sandbox,
    explain_failure,
    is_confined,
)
from visual_review.client.capture.separate_user import SeparateUser, separate_user

# Storybook skips its own waiting for animations if the user agent has this name.
TEST_RUNNER = "StorybookTestRunner"
CHECK_SECONDS = 30
CLOSING_SECONDS = 10
PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class Confinement:
    """One way to start the browser."""

    sandboxed: bool
    user: SeparateUser | None


class _UnconfinedError(Exception):
    """The browser started without the sandbox that was requested."""


def list_confinements(user: SeparateUser | None) -> list[Confinement]:
    """Return the ways to try, the safest first; the last one works everywhere."""
    ways = [Confinement(sandboxed=True, user=user), Confinement(sandboxed=False, user=user)]
    # Root without a sandbox remains for browsers that no other user can read.
    return ways if user is None else [*ways, Confinement(sandboxed=False, user=None)]


@asynccontextmanager
async def open_launcher(settings: CaptureSettings, port: int) -> AsyncIterator["BrowserLauncher"]:
    """Return a launcher whose first browser has started. Raises ``CaptureError``."""
    with driver_environment():
        playwright = await async_playwright().start()
    try:
        with separate_user() as user:
            launcher = BrowserLauncher(playwright, settings, port, user)
            await launcher.start()
            try:
                yield launcher
            finally:
                await launcher.close()
    finally:
        await playwright.stop()


class BrowserLauncher:
    """Starts browsers with the same settings; created by ``open_launcher``."""

    renderer: Renderer
    sandbox: Sandbox

    def __init__(
        self,
        playwright: Playwright,
        settings: CaptureSettings,
        port: int,
        user: SeparateUser | None,
    ) -> None:
        self.settings = settings
        self.user_agent = ""
        self.path = find_chromium(playwright, settings.chromium)
        self._playwright = playwright
        self._flags = stable_flags() + local_flags(port, settings.allow_hosts)
        self._ways = list_confinements(user)
        self._spare: Browser | None = None

    async def take_browser(self) -> Browser:
        """Return a browser, which the caller must close. Raises ``CaptureError``."""
        # The browser that was started to read its version is reused: starting one is slow.
        spare, self._spare = self._spare, None
        if spare is not None:
            return spare
        try:
            # No other way is tried: a story that crashes browsers must not end the sandbox.
            return await self._launch(self._ways[0])
        except BrowserError as error:
            raise self._failure(error) from error

    async def start(self) -> None:
        """Start the first browser in the safest way that works, and read its version.

        Raises ``CaptureError`` if none works, or if the settings require the sandbox.
        """
        failure: Failure | None = None
        while True:
            way = self._ways[0]
            try:
                await self._start(way)
            except (BrowserError, TimeoutError, _UnconfinedError) as error:
                failure = failure or _explain(error)
                self._give_up(failure, error)
            else:
                self.sandbox = Sandbox(way.user.id if way.user else None, failure)
                return

    def _give_up(self, failure: Failure, error: Exception) -> None:
        """Continue with the next way. Raises ``CaptureError`` after the last one."""
        if len(self._ways) == 1:
            raise self._failure(error) from error
        if self.settings.require_sandbox:
            raise CaptureError(
                f"The browser {self.path} cannot run in its sandbox: {failure}"
            ) from error
        del self._ways[0]

    async def _start(self, way: Confinement) -> None:
        browser = await self._launch(way)
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await self._examine(browser, way)
        except BaseException:
            await close_browser(browser)
            raise
        self._spare = browser
        self.renderer = Renderer(self.path.name, browser.version, tuple(stable_flags()))

    async def _examine(self, browser: Browser, way: Confinement) -> None:
        page = await browser.new_page()
        self.user_agent = f"{await page.evaluate('navigator.userAgent')} {TEST_RUNNER}"
        if way.sandboxed and not await _is_confined(browser):
            raise _UnconfinedError
        await page.close()

    async def _launch(self, way: Confinement) -> Browser:
        variables = select_variables(os.environ)
        program = self.path
        if way.user is not None:
            home = str(way.user.home)
            variables |= {"HOME": home, "TMPDIR": home, "XDG_CACHE_HOME": home}
            program = way.user.wrap(self.path)
        return await self._playwright.chromium.launch(
            executable_path=program,
            args=self._flags,
            chromium_sandbox=way.sandboxed,
            env={**variables},
        )

    def _failure(self, error: Exception) -> CaptureError:
        reason = first_line_of(error) if isinstance(error, BrowserError) else "it did not respond"
        return CaptureError(f"The browser {self.path} did not start: {reason}")

    async def close(self) -> None:
        if self._spare is not None:
            await close_browser(self._spare)


async def close_browser(browser: Browser) -> None:
    """Close ``browser``, whatever state it is in."""
    try:
        async with asyncio.timeout(CLOSING_SECONDS):
            await browser.close()
    except (TimeoutError, BrowserError):
        # Playwright kills its remaining browsers when it stops.
        return


def _explain(error: Exception) -> Failure:
    return WRAPPER if isinstance(error, _UnconfinedError) else explain_failure(str(error))


async def _is_confined(browser: Browser) -> bool:
    """Return what the processes themselves show: a wrapper may have turned the sandbox off."""
    session = await browser.new_browser_cdp_session()
    listed = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    renderers = [each["id"] for each in listed["processInfo"] if each["type"] == "renderer"]
    try:
        own = (PROCESSES / "self/status").read_text(encoding="utf-8")
        states = [
            (PROCESSES / str(each) / "status").read_text(encoding="utf-8") for each in renderers
        ]
    except OSError:
        # Not Linux, or a renderer that has ended: Chromium itself refused nothing.
        return True
    # A renderer that has only just been started filters nothing yet.
    return not states or any(is_confined(state, own) for state in states)


def first_line_of(error: BrowserError) -> str:
    """Return the first line of the browser's message; the rest is a protocol log."""
    return error.message.strip().splitlines()[0] if error.message.strip() else "no message"
