"""One page with a Storybook's preview in one variant, controlled over its channel."""

import asyncio
import base64
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Page
from playwright.async_api import Error as BrowserError

from visual_review.client.capture.browser import first_line_of
from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.results import CaptureSettings, Shot
from visual_review.client.capture.stories import PREVIEW_FILE, Story
from visual_review.client.capture.theme_search import BrokenPageError
from visual_review.client.capture.themes import MEDIA, ThemeSetting
from visual_review.client.capture.traffic import Traffic
from visual_review.client.capture.variants import Theme, Variant

SCRIPTS = tuple(
    (Path(__file__).parent / "scripts" / name).read_text(encoding="utf-8")
    for name in ("clock.js", "channel.js", "themes.js", "settle.js")
)

OUTCOMES = {
    "missing": "Storybook could not find or load the story",
    "errored": "The story reported an error",
    "threw": "The story threw an exception",
    "play": "The play function failed",
    "unhandled": "The play function left errors unhandled",
    "config": "The Storybook's preview could not start",
}


class PreviewError(Exception):
    """The page cannot be used any more; the message says why."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The parameters of the story disable its capture."""


def page_script(settings: CaptureSettings) -> str:
    """Return the script that runs in every page before the Storybook."""
    values = json.dumps(
        {
            "instant": round(settings.instant.timestamp() * 1000),
            "shortTimer": round(settings.short_timer * 1000),
        }
    )
    return f"(() => {{ const SETTINGS = {values};\n" + "\n".join(SCRIPTS) + "\n})();"


class Preview:
    """Shows stories one after another; created by ``open_preview``, closed with ``close``."""

    def __init__(
        self, context: BrowserContext, page: Page, cdp: CDPSession, settings: CaptureSettings
    ) -> None:
        self._context = context
        self._page = page
        self._cdp = cdp
        self._settings = settings
        self._traffic = Traffic(page)

    async def load(self, variant: Variant) -> None:
        """Load the preview without a story and set the theme.

        Raises ``PreviewError`` if the Storybook does not start.
        """
        limit = self._settings.load_timeout
        try:
            async with asyncio.timeout(limit):
                await self._navigate()
                problem = await self._page.evaluate("() => __visualReview.ready")
                if problem:
                    raise PreviewError(f"{OUTCOMES['config']}: {problem}")
                await self._prepare_globals()
                await self.apply_theme(
                    self._settings.theme_setting or MEDIA, variant.theme, variant.theme
                )
        except TimeoutError:
            raise PreviewError(
                f"The Storybook's preview did not start within {limit:g} seconds"
                f"{self._describe_missing_file()}."
            ) from None
        except BrowserError as error:
            raise PreviewError(
                f"The Storybook's preview did not load: {first_line_of(error)}"
            ) from error

    async def _navigate(self) -> None:
        response = await self._page.goto(
            f"http://{HOST}/{PREVIEW_FILE}?viewMode=story", wait_until="commit"
        )
        if response is not None and not response.ok:
            raise PreviewError(f"{PREVIEW_FILE} is missing (status {response.status}).")

    def _describe_missing_file(self) -> str:
        missing = self._traffic.missing
        return f"; {missing[0]} is missing" if missing else ""

    async def _prepare_globals(self) -> None:
        raw = await self._page.evaluate("() => __visualReview.declared()")
        if "a11y" in raw["values"]:
            # The accessibility add-on would otherwise check every story.
            await self._page.evaluate(
                "(globals) => __visualReview.setGlobals(globals)", {"a11y": {"manual": True}}
            )

    async def apply_theme(self, setting: ThemeSetting, theme: Theme, preferred: Theme) -> None:
        """Switch the theme of all stories shown from now on; the browser prefers ``preferred``."""
        await self._page.emulate_media(color_scheme=preferred)
        await self._page.evaluate(
            "([setting, theme]) => __visualReview.applyTheme(setting, theme)",
            [setting.to_json(), theme],
        )

    async def read_theme_facts(self) -> object:
        """Return what the page says about its themes."""
        return await self._page.evaluate("() => __visualReview.themeFacts()")

    async def sample(self, story: Story) -> bytes | None:
        """Return an image of what ``story`` shows first; None if it fails or is skipped."""
        try:
            async with asyncio.timeout(self._settings.story_timeout):
                return await self._sample(story)
        except (TimeoutError, BrowserError) as error:
            raise BrokenPageError(story) from error

    async def _sample(self, story: Story) -> bytes | None:
        outcome = await self._show(story)
        if outcome["kind"] != "rendered" or outcome["skip"]:
            return None
        await self._settle()
        viewport = self._settings.viewports["desktop"]
        png = await self._screenshot(viewport.width, viewport.height, viewport.height)
        await self._page.evaluate("() => __visualReview.hooksDone()")
        return png

    async def capture(self, story: Story, variant: Variant) -> Shot | Skipped:
        """Show ``story``, wait until it is stable and take a screenshot.

        Raises ``PreviewError`` if it hangs or crashes the page; close the page then.
        """
        limit = self._settings.story_timeout
        try:
            async with asyncio.timeout(limit):
                outcome = await self._show(story)
        except TimeoutError:
            raise PreviewError(await self._describe_hang(limit)) from None
        except BrowserError as error:
            raise PreviewError(f"The page was lost: {first_line_of(error)}") from error
        if outcome["kind"] != "rendered":
            message = f"{OUTCOMES[outcome['kind']]}: {outcome['message']}"
            return Shot(story, variant, None, 0, 0, error=message)
        if outcome["skip"]:
            return Skipped()
        try:
            async with asyncio.timeout(limit + self._settings.settle_timeout):
                return await self._take_shot(story, variant, outcome)
        except TimeoutError:
            raise PreviewError(
                "The page stopped responding after the story had rendered."
            ) from None
        except BrowserError as error:
            raise PreviewError(f"The page was lost: {first_line_of(error)}") from error

    async def _show(self, story: Story) -> dict[str, Any]:
        self._traffic.reset()
        outcome: dict[str, Any] = await self._page.evaluate(
            "(id) => __visualReview.show(id)", story.id
        )
        return outcome

    async def _describe_hang(self, limit: float) -> str:
        try:
            # A page whose script never returns does not respond to this either.
            async with asyncio.timeout(1):
                phase = await self._page.evaluate("() => __visualReview.phase()")
        except (TimeoutError, BrowserError):
            return f"The story blocked the page for {limit:g} seconds."
        return f"The story did not render within {limit:g} seconds (it was in the phase {phase!r})."

    async def _take_shot(self, story: Story, variant: Variant, outcome: dict[str, Any]) -> Shot:
        # A story may set a delay, but not use up the whole time limit.
        await asyncio.sleep(min(outcome["delay"] / 1000, self._settings.story_timeout / 2))
        unstable = await self._settle()
        full = max(int(await self._page.evaluate("() => __visualReview.height()")), 1)
        note = None
        viewport = self._settings.viewports[variant.device]
        height = max(full, viewport.height)
        if height > self._settings.max_height:
            height = self._settings.max_height
            note = f"The page is {full} pixels high; the image ends at {height}."
        png = await self._screenshot(viewport.width, height, viewport.height)
        # Hooks after the story may change the page, so the image is taken before waiting for
        # them.
        await self._page.evaluate("() => __visualReview.hooksDone()")
        # From the PNG's header: what was rendered counts, not what was requested.
        width, height = struct.unpack(">II", png[16:24])
        return Shot(story, variant, png, width, height, None, unstable, note, outcome["threshold"])

    async def _settle(self) -> str | None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.settle_timeout
        while True:
            await self._traffic.wait_until_idle(deadline - loop.time())
            left = max(0.1, deadline - loop.time())
            unstable: str | None = await self._page.evaluate(
                "(ms) => __visualReview.settle(ms)", left * 1000
            )
            pending = [f"{url} did not respond" for url in self._traffic.pending]
            if unstable is None and not pending:
                return None
            if loop.time() >= deadline:
                return "; ".join([*([unstable] if unstable else []), *pending])

    async def _screenshot(self, width: int, height: int, visible: int) -> bytes:
        response = await self._cdp.send(
            "Page.captureScreenshot",
            {
                "format": "png",
                # Only if needed, since the browser repeats the layout for it.
                "captureBeyondViewport": height > visible,
                "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
            },
        )
        return base64.b64decode(response["data"])

    async def close(self) -> None:
        await self._context.close()


async def open_preview(
    browser: Browser, variant: Variant, settings: CaptureSettings, user_agent: str
) -> Preview:
    """Open a new page, loaded and themed for ``variant``. Raises ``PreviewError``."""
    viewport = settings.viewports[variant.device]
    context = await browser.new_context(
        viewport={"width": viewport.width, "height": viewport.height},
        device_scale_factor=1,
        color_scheme=variant.theme,
        # Dates and numbers must not depend on the machine's locale and time zone.
        locale="en-US",
        timezone_id="UTC",
        user_agent=user_agent,
        accept_downloads=False,
    )
    await context.add_init_script(page_script(settings))
    page = await context.new_page()
    preview = Preview(context, page, await context.new_cdp_session(page), settings)
    try:
        await preview.load(variant)
    except PreviewError:
        await preview.close()
        raise
    return preview
