"""What many projects write themselves: open each story with Playwright, wait, take an image."""

import argparse
import asyncio
import json
from pathlib import Path

from playwright.async_api import Browser, async_playwright
from playwright.async_api import Error as BrowserError

from benchmarks.capture.programs import browser_flags


async def capture_stories(options: argparse.Namespace) -> None:
    entries = json.loads(options.index.read_text(encoding="utf-8"))["entries"].values()
    stories = [entry["id"] for entry in entries if entry.get("type", "story") == "story"]
    options.output.mkdir(parents=True, exist_ok=True)
    queue = [(story, size) for size in options.viewport for story in stories]
    queue.reverse()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=options.chromium, args=browser_flags()
        )
        async with asyncio.TaskGroup() as group:
            for _ in range(options.pages):
                group.create_task(_work(browser, queue, options))
        await browser.close()


async def _work(
    browser: Browser, queue: list[tuple[str, str]], options: argparse.Namespace
) -> None:
    page = await browser.new_page()
    while queue:
        story, size = queue.pop()
        width, height = (int(part) for part in size.split("x"))
        await page.set_viewport_size({"width": width, "height": height})
        try:
            await page.goto(
                f"{options.url}/iframe.html?id={story}&viewMode=story", wait_until="networkidle"
            )
            path = options.output / f"{story}-{size}.png"
            await page.screenshot(path=path, full_page=True)
        except BrowserError as error:
            print(f"{story} {size}: {error.message.splitlines()[0]}", flush=True)
    await page.close()


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
