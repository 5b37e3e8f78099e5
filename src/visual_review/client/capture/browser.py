"""Starts the browsers of a run: in their sandbox if possible, without any credential."""

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from visual_review.client.capture import frames
from visual_review.client.capture.chromium import (
    automation_flags,
    find_chromium,
    local_flags,
    select_variables,
    stable_flags,
)
from visual_review.client.capture.devtools import (
    BrowserError,
    BrowserProcess,
    ProtocolError,
    Session,
    start_browser,
)
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.page_children import announce_shared_workers, close_popups
from visual_review.client.capture.results import CaptureSettings, Renderer
from visual_review.client.capture.sandbox import (
    WRAPPER,
    Failure,
    Sandbox,
    SeparateUser,
    explain_failure,
    is_confined,
    separate_user,
)
from visual_review.client.capture.themes import ThemeSetting
from visual_review.client.capture.variants import Variant

PROCESSES: Final = Path("/proc")
# Released in December 2023. Older versions lack functions that our scripts and today's Storybooks
# call.
OLDEST: Final = 120
REMEDY: Final = (
    "Update it, choose another one with --chromium, or install one with "
    "`python -m playwright install --only-shell chromium`."
)


@dataclass(frozen=True, slots=True)
class Examination:
    """``frame_control`` is whether pages render frames on request."""

    confined: bool
    frame_control: bool


async def examine(browser: BrowserProcess, *, frame_control: bool) -> Examination:
    """Raises ``BrowserError``."""
    session = browser.connection.browser
    page = await session.send(
        "Target.createTarget", url="about:blank", **frames.target_parameters(frame_control)
    )
    target = await browser.connection.attach(page["targetId"])
    # A newly started renderer filters no system calls yet.
    await target.send("Runtime.evaluate", expression="0")
    examination = Examination(
        confined=await _is_confined(session),
        frame_control=frame_control and await _renders_on_request(target),
    )
    await session.send("Target.closeTarget", targetId=page["targetId"])
    return examination


async def _renders_on_request(target: Session) -> bool:
    try:
        await target.send(frames.COMMAND)
    except ProtocolError:
        # Chrome has windows, unlike the headless shell.
        return False
    return True


async def _is_confined(session: Session) -> bool:
    """Return whether the processes themselves show a sandbox: a wrapper may have turned it off."""
    listed = await session.send("SystemInfo.getProcessInfo")
    renderers = [each["id"] for each in listed["processInfo"] if each["type"] == "renderer"]
    try:
        own = (PROCESSES / "self/status").read_text(encoding="utf-8")
        states = [
            (PROCESSES / str(each) / "status").read_text(encoding="utf-8") for each in renderers
        ]
    except OSError:
        # Not Linux, or a finished renderer: Chromium itself refused nothing.
        return True
    # Another one may still be starting.
    return not states or any(is_confined(state, own) for state in states)


def require_supported(path: Path, version: str) -> None:
    """Raise ``CaptureError`` for an older browser, or a browser other than Chromium."""
    major = re.match(r"(\d+)\.", version)
    if major is None:
        raise CaptureError(
            f"The browser {path} says that its version is {version[:40]!r}, which is not one "
            f"of Chromium. {REMEDY}"
        )
    if int(major[1]) < OLDEST:
        raise CaptureError(
            f"The browser {path} has version {version}, which is too old: a capture needs "
            f"Chromium {OLDEST} or later. {REMEDY}"
        )


# Storybook skips its own waiting for animations if the user agent has this name.
TEST_RUNNER = "StorybookTestRunner"
# A name for stories to read, as isChromatic() reads the name of Chromatic.
FLAG = "VisualReview"
CHECK_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Confinement:
    """One way to start the browser."""

    sandboxed: bool
    user: SeparateUser | None


class _StartError(Exception):
    """The browser did not start in one way; ``failure`` is the reason for the missing sandbox."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message)
        self.failure = failure


def list_confinements(user: SeparateUser | None) -> list[Confinement]:
    """Return the ways to try, the safest first; the last one works everywhere."""
    ways = [Confinement(sandboxed=True, user=user), Confinement(sandboxed=False, user=user)]
    # Root without a sandbox remains for browsers that no other user can read.
    return ways if user is None else [*ways, Confinement(sandboxed=False, user=None)]


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(
        prefix="visual-review-profile-", ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


@asynccontextmanager
async def open_launcher(settings: CaptureSettings, port: int) -> AsyncIterator["BrowserLauncher"]:
    """Return a launcher whose first browser has started. Raises ``CaptureError``.

    All browsers of the launcher end with the block.
    """
    with separate_user() as user, _temporary_folder() as folder:
        launcher = BrowserLauncher(settings, port, user, folder)
        try:
            await launcher.start()
            yield launcher
        finally:
            await launcher.close()


class BrowserLauncher:
    """Starts browsers with the same settings; created by ``open_launcher``."""

    renderer: Renderer
    sandbox: Sandbox

    def __init__(
        self, settings: CaptureSettings, port: int, user: SeparateUser | None, folder: Path
    ) -> None:
        self.settings = self._light = settings
        self.user_agent = ""
        self.leftovers = Leftovers()
        self.path = find_chromium(settings.chromium)
        self._flags = automation_flags() + stable_flags() + local_flags(port, settings.allow_hosts)
        self._ways = list_confinements(user)
        self._folder = folder
        self._frame_control = frames.SUPPORTED
        self._numbers = count(1)
        self._spares: list[BrowserProcess] = []
        self._started: list[BrowserProcess] = []

    def use_theme(self, setting: ThemeSetting, light: ThemeSetting) -> None:
        """Load all further pages with ``setting``, or with ``light`` in the light theme."""
        self.settings = replace(self.settings, theme_setting=setting)
        self._light = replace(self.settings, theme_setting=light)

    def settings_for(self, variant: Variant) -> CaptureSettings:
        return self._light if variant.theme == "light" else self.settings

    async def take_browser(self) -> BrowserProcess:
        """Return a browser, which the caller must close. Raises ``CaptureError``."""
        # The browser started for reading the version is reused: starting a browser is slow.
        while self._spares:
            spare = self._spares.pop()
            if spare.running:
                return spare
        return await self._start_another()

    async def _start_another(self) -> BrowserProcess:
        try:
            # No other way is tried: a story that crashes browsers must not end the sandbox.
            return (await self._launch(self._ways[0]))[0]
        except _StartError as error:
            raise self._failure(error) from error

    async def start(self) -> None:
        """Start the first browser in the safest way that works, and read its version.

        Raises ``CaptureError`` if no way works, or if the settings require the sandbox.
        """
        failure: Failure | None = None
        while True:
            way = self._ways[0]
            try:
                await self._start(way)
            except _StartError as error:
                failure = failure or error.failure
                self._give_up(failure, error)
            else:
                self.sandbox = Sandbox(way.user.id if way.user else None, failure)
                return

    def _give_up(self, failure: Failure, error: _StartError) -> None:
        """Continue with the next way. Raises ``CaptureError`` after the last one."""
        if len(self._ways) == 1:
            raise self._failure(error) from error
        if self.settings.require_sandbox:
            raise CaptureError(
                f"The browser {self.path} cannot run in its sandbox: {failure}"
            ) from error
        del self._ways[0]

    async def _start(self, way: Confinement) -> None:
        browser, version = await self._launch(way)
        examination = await self._examine(browser)
        if way.sandboxed and not examination.confined:
            await browser.close()
            raise _StartError("it turned its sandbox off", WRAPPER)
        if self._frame_control and not examination.frame_control:
            # A browser without frame control may behave differently with the flags for frame
            # control, so the browser starts again without these flags.
            self._frame_control = False
            await browser.close()
            browser, version = await self._launch(way)
        self._spares.append(browser)
        self.user_agent = f"{version['userAgent']} {TEST_RUNNER} {FLAG}"
        number = version["product"].rpartition("/")[2]
        require_supported(self.path, number)
        self.renderer = Renderer(self.path.name, number, tuple(stable_flags()))

    async def _examine(self, browser: BrowserProcess) -> Examination:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await examine(browser, frame_control=self._frame_control)
        except (TimeoutError, BrowserError) as error:
            raise await _start_error(browser, error) from error

    async def _launch(self, way: Confinement) -> tuple[BrowserProcess, dict[str, str]]:
        """Return a browser that responds, and its version."""
        folder = way.user.home if way.user is not None else self._folder
        variables = select_variables(os.environ) | {"TMPDIR": str(folder)}
        program = [str(self.path.absolute())]
        if way.user is not None:
            variables |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
            program = way.user.wrap(self.path)
        command = [
            *program,
            *self._flags,
            *(frames.FLAGS if self._frame_control else ()),
            *([] if way.sandboxed else ["--no-sandbox"]),
            f"--user-data-dir={folder / f'profile-{next(self._numbers)}'}",
        ]
        try:
            browser = await start_browser(command, variables)
        except BrowserError as error:
            raise _StartError(str(error), explain_failure(f"[err] {error}")) from error
        self._started.append(browser)
        browser.frame_control = self._frame_control
        close_popups(browser.connection)
        announce_shared_workers(browser.connection)
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return browser, await browser.connection.browser.send("Browser.getVersion")
        except (TimeoutError, BrowserError) as error:
            raise await _start_error(browser, error) from error

    def _failure(self, error: _StartError) -> CaptureError:
        return CaptureError(
            f"The browser {self.path} did not start: {error}. Start it in a terminal to see why, or "
            "choose another one with --chromium."
        )

    async def close(self) -> None:
        for browser in self._started:
            await browser.close()


async def _start_error(browser: BrowserProcess, error: Exception) -> _StartError:
    """Return why a browser did not start, and end the browser."""
    log = await browser.read_log()
    await browser.close()
    reason = "it did not respond" if isinstance(error, TimeoutError) else str(error)
    return _StartError(reason, explain_failure(log))
