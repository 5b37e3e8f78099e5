"""One page that shows stories one after another; every action is a DevTools command."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Sequence
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Any, Final, TypeVar

from visual_review.client.capture import errors
from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.devtools import (
    BrowserError,
    BrowserProcess,
    ConnectionLostError,
    ProtocolError,
    Session,
    TargetLostError,
)
from visual_review.client.capture.devtools.connection import CRASHED
from visual_review.client.capture.errors import PageError
from visual_review.client.capture.frames import Frames, target_parameters
from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.page_children import PageChildren
from visual_review.client.capture.page_result import (
    Gesture,
    PageResult,
    parse_leftovers,
    parse_page_result,
)
from visual_review.client.capture.page_setup import (
    Command,
    media_command,
    page_script,
    prepare_session,
    variant_commands,
    worker_script,
)
from visual_review.client.capture.results import CaptureSettings, Region, override_parameters
from visual_review.client.capture.stories import PREVIEW_FILE, Story
from visual_review.client.capture.themes import MEDIA, ThemeSetting
from visual_review.client.capture.traffic import FailedRequests, Traffic
from visual_review.client.capture.variants import Variant
from visual_review.client.capture.watchdog import Watchdog
from visual_review.variants import Theme

T = TypeVar("T")
BLANK: Final = "about:blank"
FOCUS: Final = "focus"
CLICK: Final = "click"
# Seconds between two looks at requests without a response.
RESPONSE_STEP: Final = 0.5
LEAST_MS: Final = 100
NAVIGATION_SECONDS: Final = 0.5
CLOSING_SECONDS: Final = 5.0
# In addition to the page's own limits.
SLACK_SECONDS: Final = 10.0


class Page:
    """Created by ``open_page``; must be closed. After a ``PageError`` only ``close`` works."""

    def __init__(self, browser: BrowserProcess, settings: CaptureSettings, context: str) -> None:
        self.traffic = Traffic()
        self.leftovers = Leftovers()
        self.failed_requests = FailedRequests()
        self.session: Session
        self._browser = browser
        self._settings = settings
        self._context = context
        self._loaded = False
        self._navigated = asyncio.Event()
        self._url = ""
        self._theme_script: str | None = None
        # Whether the story on the page requested other media than the variant's.
        self._emulates = False
        # Requests until the last story was at rest.
        self._sent = 0

    async def open(self, user_agent: str) -> None:
        self._user_agent = user_agent
        connection = self._browser.connection
        controlled = self._browser.frame_control
        target = await connection.browser.send(
            "Target.createTarget",
            url=BLANK,
            browserContextId=self._context,
            **target_parameters(controlled),
        )
        self.session = await connection.attach(target["targetId"])
        self._frames = Frames(self.session) if controlled else None
        self._watchdog = Watchdog(self._browser, self.session)
        self.session.on("Page.frameNavigated", self._on_navigation)
        self.session.on("Page.javascriptDialogOpening", self._on_dialog)
        self.traffic.watch(self.session)
        self.failed_requests.watch(self.session)
        await prepare_session(self.session, page_script(self._settings), user_agent)
        self._children = PageChildren(
            connection,
            self._context,
            self._prepare_frame,
            worker_script(self._settings),
            self.traffic.ignore_worker,
        )
        self._children.follow(self.session)

    async def _prepare_frame(self, frame: Session) -> None:
        """Prepare a frame of another site, which is a process of its own."""
        self.traffic.watch(frame)
        self.failed_requests.watch(frame)
        if self._frames is not None:
            self._frames.listen(frame)
        await prepare_session(frame, page_script(self._settings), self._user_agent)

    def _on_navigation(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if self._loaded and "parentId" not in frame:
            self._url = frame.get("unreachableUrl") or frame["url"] + frame.get("urlFragment", "")
            self._navigated.set()

    def _on_dialog(self, event: dict[str, Any]) -> None:
        # Leaving is allowed, or the next page could not be loaded.
        accept = event["type"] == "beforeunload"
        self.session.start("Page.handleJavaScriptDialog", accept=accept)

    async def _drive(self, awaitable: Awaitable[T], *, shown: bool = False) -> T:
        return await (self._frames.drive(awaitable, shown=shown) if self._frames else awaitable)

    async def _wait(
        self, awaitable: Awaitable[T], limit: float, blocked_after: float | None = None
    ) -> T:
        """Wait like the watchdog; without ``blocked_after``, ``limit`` also applies to scripts."""
        return await self._watchdog.wait(awaitable, limit, blocked_after or limit)

    async def set_variant(self, variant: Variant) -> None:
        """Load the preview anew without a story, in this variant. Raises ``PageError``."""
        limit = self._settings.load_timeout
        self._loaded = False
        self.traffic.document_status = None
        self.failed_requests.begin_loading()
        try:
            await self._wait(self._drive(self._load(variant)), limit)
        except TimeoutError:
            raise PageError(
                f"The Storybook's preview did not start within {limit:g} seconds"
                f"{self._describe_missing_file()}."
            ) from None
        except BrowserError as error:
            raise self._explain(error) from error
        self._loaded = True

    async def _load(self, variant: Variant) -> None:
        for method, parameters in variant_commands(variant, self._settings):
            self.session.start(method, **parameters)
        await self._announce_theme(variant.theme)
        result = await self.session.send("Page.navigate", url=preview_url(self._settings))
        if result.get("errorText"):
            raise PageError(f"The Storybook's preview did not load: {result['errorText']}")
        status = self.traffic.document_status
        if status is not None and status >= HTTPStatus.BAD_REQUEST:
            raise PageError(f"{PREVIEW_FILE} is missing (status {status}).")
        problem = await self.evaluate("__visualReview.ready")
        if problem:
            raise errors.cannot_start(problem)
        await self._prepare_globals()
        await self.apply_theme(self._settings.theme_setting or MEDIA, variant.theme)

    def _describe_missing_file(self) -> str:
        missing = self.traffic.missing
        return f"; {missing[0]} is missing" if missing else ""

    async def _prepare_globals(self) -> None:
        raw = await self.evaluate("__visualReview.declared()")
        if "a11y" in raw["values"]:
            # The accessibility add-on would otherwise check every story.
            await self.evaluate('__visualReview.setGlobals({"a11y": {"manual": true}})')

    async def _announce_theme(self, theme: Theme) -> None:
        """Put the theme into the page's storage before the start, as in a user's browser."""
        script, self._theme_script = self._theme_script, None
        if script is not None:
            await self.session.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        if (setting := self._settings.theme_setting) is None or not setting.is_stored:
            return
        values = f"{json.dumps(setting.to_json())}, {json.dumps(theme)}"
        added = await self.session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source=f"__visualReview.storeTheme({values})",
        )
        self._theme_script = added["identifier"]

    def use_settings(self, settings: CaptureSettings) -> None:
        """Use other settings from the next ``set_variant`` or ``complete_theme`` on."""
        self._settings = settings

    async def complete_theme(self, theme: Theme) -> None:
        """Do the steps of ``set_variant`` left out for lack of the theme's setting.

        A setting that the page reads at its start needs ``set_variant``. Raises ``PageError``.
        """
        limit = self._settings.load_timeout
        try:
            setting = self._settings.theme_setting or MEDIA
            await self._wait(self._drive(self.apply_theme(setting, theme)), limit)
        except TimeoutError:
            raise PageError(f"The theme was not switched within {limit:g} seconds.") from None
        except BrowserError as error:
            raise self._explain(error) from error

    async def switch_theme(self, setting: ThemeSetting, theme: Theme, preferred: Theme) -> None:
        """Switch the theme of a loaded page; the browser prefers ``preferred``.

        Raises ``BrowserError``.
        """
        await self._send(media_command(preferred))
        await self._drive(self.apply_theme(setting, theme))

    async def apply_theme(self, setting: ThemeSetting, theme: Theme) -> None:
        """Switch the theme of all stories shown from now on. Raises ``BrowserError``."""
        values = f"{json.dumps(setting.to_json())}, {json.dumps(theme)}"
        await self.evaluate(f"__visualReview.applyTheme({values})")

    async def take(self, story: Story, variant: Variant, *, early: bool = False) -> PageResult:
        """Show ``story`` and prepare an image, which may be taken ``early``.

        Raises ``PageError``.
        """
        self.traffic.reset()
        self.failed_requests.begin_story()
        if self._emulates:
            await self._emulate(variant, ())
        request = self._request(story, variant)
        request["early"] = early
        result = parse_page_result(await self._call("take", request))
        self._sent = self.traffic.sent
        if result.outcome.kind != "rendered" or result.skip:
            return result
        if result.media:
            await self._emulate(variant, result.media)
        if result.media or self.traffic.pending:
            result = await self._take_again(request)
        return await self._act(result, request) if result.gestures else result

    async def _act(self, result: PageResult, request: dict[str, Any]) -> PageResult:
        """Move the pointer as the story asks for, and prepare the image after. Raises ``PageError``."""
        try:
            await self._wait(
                self._drive(self._move_pointer(result.gestures)), self._settings.story_timeout
            )
        except TimeoutError:
            raise PageError("The page stopped responding to the pointer.") from None
        except BrowserError as error:
            raise await self._explain_later(error) from error
        after = await self._take_again(request | {"gestured": True})
        # Missing elements are noted before the gestures alone.
        notes = tuple(dict.fromkeys((*result.notes, *after.notes)))
        return replace(after, gestures=result.gestures, notes=notes)

    async def _move_pointer(self, gestures: Sequence[Gesture]) -> None:
        for gesture in gestures:
            if gesture.kind == FOCUS:
                continue
            place = {"x": gesture.x, "y": gesture.y}
            await self.session.send("Input.dispatchMouseEvent", type="mouseMoved", **place)
            if gesture.kind == CLICK:
                button = {**place, "button": "left", "clickCount": 1}
                await self.session.send("Input.dispatchMouseEvent", type="mousePressed", **button)
                await self.session.send("Input.dispatchMouseEvent", type="mouseReleased", **button)

    async def _emulate(self, variant: Variant, asked: Sequence[str]) -> None:
        """Make the browser emulate the media requested by the story. Raises ``PageError``."""
        self._emulates = bool(asked)
        try:
            await self._wait(
                self._send(media_command(variant.theme, asked)), self._settings.story_timeout
            )
        except TimeoutError:
            raise PageError("The page stopped responding after the story had rendered.") from None
        except BrowserError as error:
            raise await self._explain_later(error) from error

    async def _send(self, command: Command) -> None:
        method, parameters = command
        await self.session.send(method, **parameters)

    async def stayed_quiet(self) -> bool:
        """Return whether nothing has happened since ``take``. Raises ``PageError``.

        Only then does the image of an early ``take`` count, as waiting would have given the same
        image.
        """
        quiet = await self._call("stayedQuiet", {})
        return quiet is True and self.traffic.sent == self._sent and not self.traffic.pending

    async def retake(self, story: Story, variant: Variant) -> PageResult:
        """Prepare another image of the story on the page. Raises ``PageError``."""
        return await self._take_again(self._request(story, variant))

    async def _take_again(self, request: dict[str, Any]) -> PageResult:
        """Wait for missing responses, and prepare the image with the effects of these responses."""
        loop = asyncio.get_running_loop()
        left = self._settings.settle_timeout
        while True:
            left = await self._wait_for_responses(left)
            started = loop.time()
            result = parse_page_result(
                await self._call("retake", request | {"settleMs": max(LEAST_MS, left * 1000)})
            )
            left -= loop.time() - started
            pending = tuple(f"{url} did not respond" for url in self.traffic.pending)
            if not pending or left <= 0:
                return result.with_unstable(pending)

    async def _wait_for_responses(self, seconds: float) -> float:
        """Wait until all requests have a response; return the rest of ``seconds``."""
        loop = asyncio.get_running_loop()
        left = seconds
        while self.traffic.pending and left > 0:
            started = loop.time()
            await self.traffic.wait_until_idle(min(RESPONSE_STEP, left))
            passed = loop.time() - started
            if self.traffic.pending:
                passed = await self._watchdog.count(passed, self._settings.blocked_timeout)
            left -= passed
        return left

    async def finish(self, story: Story, variant: Variant) -> tuple[str, ...]:
        """Wait for the end of the story's hooks; return the story's leftovers."""
        return parse_leftovers(await self._call("finish", self._request(story, variant)))

    def _request(self, story: Story, variant: Variant) -> dict[str, Any]:
        settings = self._settings
        viewport = settings.viewports[variant.device]
        return {
            "id": story.id,
            "settleMs": settings.settle_timeout * 1000,
            "storyMs": settings.story_timeout * 1000,
            "maxHeight": settings.max_height,
            "viewport": {"width": viewport.width, "height": viewport.height},
            "variant": {"theme": variant.theme, "device": variant.device},
            "globals": None,
            "capture": {
                "leftovers": self.leftovers.describe_for(story, variant.theme),
                # Parameters of stories name widths; the devices nearest to these widths are
                # captured.
                "widths": {name: size.width for name, size in settings.viewports.items()},
                "themes": settings.captured_themes,
                "overrides": override_parameters(settings.story_rules, story.id, variant),
            },
        }

    async def _call(self, function: str, request: dict[str, Any]) -> object:
        """Call a function of the page that waits by itself, and notice if the page cannot."""
        settings = self._settings
        limit = settings.story_timeout * 1.5 + settings.settle_timeout + SLACK_SECONDS
        expression = f"__visualReview.{function}({json.dumps(request)})"
        try:
            work = self._drive(self.evaluate(expression))
            return await self._wait(work, limit, settings.blocked_timeout)
        except TimeoutError:
            raise errors.blocked(limit) from None
        except BrowserError as error:
            raise await self._explain_later(error) from error

    async def evaluate(self, expression: str) -> Any:  # noqa: ANN401 -- Any JSON value.
        """Return the value of an expression or of a promise. Raises ``BrowserError``."""
        result = await self.session.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            raise ProtocolError("Runtime.evaluate", text.splitlines()[0][:300])
        return result["result"].get("value")

    async def screenshot(
        self, width: int, height: int, visible: int, part: Region | None = None
    ) -> bytes:
        """Return a PNG of the page's upper left corner, or a part. Raises ``PageError``."""
        try:
            command = self._take_screenshot(part or Region(0, 0, width, height), visible)
            data = await self._wait(command, self._settings.story_timeout)
        except TimeoutError:
            raise PageError("The page stopped responding after the story had rendered.") from None
        except BrowserError as error:
            raise await self._explain_later(error) from error
        return base64.b64decode(data)

    async def _take_screenshot(self, part: Region, visible: int) -> str:
        height = part.y + part.height
        if self._frames is not None and height == visible and (part.x, part.y) == (0, 0):
            data = await self._frames.screenshot()
            if data is not None:
                return data
        command = self.session.send(
            "Page.captureScreenshot",
            format="png",
            optimizeForSpeed=True,
            # Only if needed, since the browser repeats the layout.
            captureBeyondViewport=height > visible,
            clip={**asdict(part), "scale": 1},
        )
        return str((await self._drive(command, shown=True))["data"])

    async def _explain_later(self, error: BrowserError) -> PageError:
        if isinstance(error, ProtocolError):
            # The event with the page's new URL comes after the error.
            try:
                async with asyncio.timeout(NAVIGATION_SECONDS):
                    await self._navigated.wait()
            except TimeoutError:
                return self._explain(error)
        return self._explain(error)

    def _explain(self, error: BrowserError) -> PageError:
        if isinstance(error, ConnectionLostError):
            return errors.browser_lost()
        if isinstance(error, TargetLostError):
            return errors.crashed() if str(error) == CRASHED else errors.closed()
        if self._navigated.is_set():
            return errors.navigated(self._url, reloaded=self._url == preview_url(self._settings))
        return PageError(f"The page stopped working: {error}")

    async def close(self) -> None:
        """Close the page and forget all data stored by the page. Raises ``PageError``."""
        self._children.close()
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._browser.connection.browser.send(
                    "Target.disposeBrowserContext", browserContextId=self._context
                )
        except (TimeoutError, BrowserError) as error:
            raise PageError(f"The page cannot be closed: {error}") from error


def preview_url(settings: CaptureSettings) -> str:
    return f"http://{HOST}{settings.preview_path}?viewMode=story"


async def open_page(browser: BrowserProcess, settings: CaptureSettings, user_agent: str) -> Page:
    """Return a new page in a context of its own, not loaded yet. Raises ``PageError``."""
    session = browser.connection.browser
    try:
        context = (await session.send("Target.createBrowserContext"))["browserContextId"]
        session.start("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        page = Page(browser, settings, context)
        await page.open(user_agent)
    except BrowserError as error:
        raise errors.browser_lost() from error
    return page
