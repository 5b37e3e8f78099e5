"""Shots that were taken before it was known how the theme is switched."""

import asyncio
from typing import Final

from visual_review.client.capture.browser import BrowserLauncher
from visual_review.client.capture.results import Shot
from visual_review.client.capture.themes import ThemeSetting
from visual_review.client.capture.workers import Report, Skipped

# The images of a page that may be held in memory.
MOST_EARLY: Final = 100


class EarlyShots:
    """Passes on what a page reports; between ``hold`` and ``release`` or ``drop``, holds it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._holds = False
        self._held: list[Shot | Skipped] = []

    async def report(self, result: Shot | Skipped) -> None:
        if self._holds:
            self._held.append(result)
        else:
            await self._report(result)

    def hold(self) -> None:
        self._holds = True

    async def release(self) -> None:
        """Report what was held, in its order, and from now on everything at once."""
        self._holds = False
        for result in self._held:
            await self._report(result)
        self._held.clear()

    def drop(self) -> None:
        """Forget what was held; report from now on everything at once."""
        self._holds = False
        self._held.clear()


class LightGuess:
    """What light is probably set by, and whether the search for the theme found the same."""

    def __init__(self, launcher: BrowserLauncher) -> None:
        self._launcher = launcher
        loop = asyncio.get_running_loop()
        self.guessed: asyncio.Future[ThemeSetting | None] = loop.create_future()
        self.is_right: asyncio.Future[bool] = loop.create_future()

    def guess(self, setting: ThemeSetting | None) -> None:
        """Load pages with ``setting`` until more is known; the first guess counts."""
        if self.guessed.done():
            return
        if setting is not None:
            self._launcher.use_theme(setting, setting)
        self.guessed.set_result(setting)

    def check(self, found: ThemeSetting) -> bool:
        """Return whether ``found`` is what was guessed."""
        if not self.guessed.done():
            self.guessed.set_result(None)
        self.is_right.set_result(self.guessed.result() == found)
        return self.is_right.result()
