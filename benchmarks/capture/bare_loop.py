"""The minimum for an image of each story: switch the story, take the image, wait for nothing.

DevTools over a pipe, frames on request and images of whole pages, like the capture, but without any
check, wait for fonts or requests, or second look. Some images are wrong; only the times are
compared.
"""

import argparse
import asyncio
import base64
import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from benchmarks.capture.programs import browser_flags
from benchmarks.diff.errors import BenchmarkError
from visual_review.client.capture.browser import TEST_RUNNER
from visual_review.client.capture.chromium import automation_flags, select_variables
from visual_review.client.capture.devtools import BrowserProcess, Session, start_browser
from visual_review.client.capture.frames import FLAGS, Frames, target_parameters

# Without a story in the URL, the preview reports a missing story as soon as the start is complete.
READY: Final = """new Promise((done) => {
  const look = () => {
    if (globalThis.__STORYBOOK_ADDONS_CHANNEL__?.last("storyMissing")) done(0);
    else setTimeout(look, 5);
  };
  look();
})"""
SHOW: Final = """new Promise((done) => {
  const channel = globalThis.__STORYBOOK_ADDONS_CHANNEL__;
  const ends = ["storyRendered", "storyErrored", "storyMissing", "storyThrewException"];
  const end = (id) => {
    if (typeof id === "string" && id !== WANTED) return;
    ends.forEach((name) => channel.off(name, end));
    done(document.documentElement.scrollHeight);
  };
  ends.forEach((name) => channel.on(name, end));
  channel.emit("setCurrentStory", { storyId: WANTED, viewMode: "story" });
})"""
# A story that renders nothing at all must not hold the others.
STORY_SECONDS: Final = 1.0


class BarePage:
    """One page, whose frames are rendered on request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._frames = Frames(session)

    async def load(self, url: str, width: int, height: int, user_agent: str) -> None:
        await self._session.send("Emulation.setUserAgentOverride", userAgent=user_agent)
        await self._resize(width, height)
        await self._session.send("Page.navigate", url=url)
        await self._evaluate(READY)

    async def take(self, story: str, width: int, visible: int) -> bytes | None:
        """Return the PNG of the whole story; None if nothing was rendered."""
        try:
            async with asyncio.timeout(STORY_SECONDS):
                height = await self._evaluate(SHOW.replace("WANTED", json.dumps(story)))
        except TimeoutError:
            return None
        if height <= visible and (data := await self._frames.screenshot()):
            return base64.b64decode(data)
        clip = {"x": 0, "y": 0, "width": width, "height": max(height, visible), "scale": 1}
        command = self._session.send(
            "Page.captureScreenshot",
            format="png",
            optimizeForSpeed=True,
            captureBeyondViewport=height > visible,
            clip=clip,
        )
        return base64.b64decode((await self._frames.drive(command, shown=True))["data"])

    async def _evaluate(self, expression: str) -> int:
        command = self._session.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        result = await self._frames.drive(command)
        if "exceptionDetails" in result:
            raise BenchmarkError(f"the page threw: {result['exceptionDetails']}")
        return int(result["result"]["value"])

    async def _resize(self, width: int, height: int) -> None:
        await self._session.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )


async def capture_stories(options: argparse.Namespace) -> None:
    entries = json.loads(options.index.read_text(encoding="utf-8"))["entries"].values()
    stories = [entry["id"] for entry in entries if entry.get("type", "story") == "story"]
    options.output.mkdir(parents=True, exist_ok=True)
    # Each page has every n-th story of all sizes, and loads once for each size.
    async with asyncio.TaskGroup() as group:
        for number in range(options.pages):
            group.create_task(_work(stories[number :: options.pages], options))


@asynccontextmanager
async def open_browser(chromium: Path) -> AsyncIterator[BrowserProcess]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = f"--user-data-dir={folder}"
        command = [str(chromium), *automation_flags(), *browser_flags(), *FLAGS, profile]
        browser = await start_browser(command, select_variables(os.environ))
        try:
            yield browser
        finally:
            await browser.close()


async def _work(stories: list[str], options: argparse.Namespace) -> None:
    """Capture the stories with a browser of their own, as the capture's pages have."""
    async with open_browser(options.chromium) as browser:
        session = browser.connection.browser
        version = await session.send("Browser.getVersion")
        target = await session.send(
            "Target.createTarget", url="about:blank", **target_parameters(controlled=True)
        )
        page = BarePage(await browser.connection.attach(target["targetId"]))
        for size in options.viewport:
            width, height = (int(part) for part in size.split("x"))
            url = f"{options.url}/iframe.html?viewMode=story"
            await page.load(url, width, height, f"{version['userAgent']} {TEST_RUNNER}")
            for story in stories:
                image = await page.take(story, width, height)
                if image is None:
                    print(f"{story} {size}: no image", flush=True)
                else:
                    (options.output / f"{story}-{size}.png").write_bytes(image)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--chromium", type=Path, required=True)
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--viewport", nargs="+", required=True)
    asyncio.run(capture_stories(parser.parse_args()))


if __name__ == "__main__":
    main()
