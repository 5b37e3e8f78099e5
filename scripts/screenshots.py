"""Images of every page, to look at: ``make screenshots``, in ``build/screenshots``.

A service on a fresh folder gets the example of ``make demo``. Every page that a link leads to is
written at four widths, light and dark, by one browser. ``DOCS=1`` also renews the images of the
documents, in ``docs/images``.
"""

import argparse
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlencode

import httpx
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scripts.demo import Demo, prepare_review, start_services
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import EMAIL, DemoServer
from scripts.setup_steps import ROOT
from visual_review.client.capture.chromium import find_chromium

OUTPUT: Final = ROOT / "build" / "screenshots"
DOCUMENT_IMAGES: Final = ROOT / "docs" / "images"
WIDTHS: Final = (360, 820, 1440, 2560)
HEIGHT: Final = 900
# From this width on, the review page has its list next to the screenshot.
SIDE_BY_SIDE: Final = 768
# Of the images in documents: the window, the width that is stored, and the largest file.
DOCUMENT_WIDTH: Final = 1440
STORED_SIZE: Final = (1152, 720)
LARGEST_FILE: Final = 60_000
Theme = Literal["light", "dark"]
BUILD_PAGE: Final = "builds"
# A repository that is connected only for the page that follows.
CONNECTED: Final = "harbour/website"
CONNECTED_PAGE: Final = "repositories-connected"
# The pages that documents show, with the names of their images.
DOCUMENT_PAGES: Final = {
    BUILD_PAGE: "review-page",
    f"{BUILD_PAGE}-group": "group",
    f"{BUILD_PAGE}-regions": "draw-regions",
    CONNECTED_PAGE: "connected-repository",
    "account": "account",
    "account-apps-connect": "connect-client",
    "account-second-factor": "second-factor",
    "account-sessions": "sessions",
    "audit": "audit-log",
    "baselines": "baseline",
    "home": "waiting",
    "keys": "api-keys",
    "members": "members",
    "members-sign-in": "sign-in-providers",
    "messages": "messages",
    "oauth-authorize": "consent",
    "recordings": "recording",
    "repositories": "repositories",
    "repositories-outbox": "outbox",
    "repositories-owners": "owners",
    "repositories-regions": "regions",
    "repositories-settings": "repository-settings",
    "screenshots-history": "story-history",
    "search": "search",
    "source-host": "git-provider",
    "storage": "storage",
}
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
# Pages that no link of a signed-in person leads to.
UNLINKED: Final = ("/components", "/no/such/page", "/search?q=table")
SIGNED_OUT: Final = ("/sign-in", "/password/forgotten", "/password/sent", "/password/done")
# On the page of a build, by the key that opens them.
DIALOGS: Final = {"g": "group", "i": "regions"}
LINK: Final = re.compile(r'href="(/[^"#?]*)')
ID: Final = re.compile(r"\b[a-z]+_[0-9a-z]{26}\b")
ONE_OF_MANY: Final = re.compile(r"(/stories|/versions|/docs)/[^?]+")
# An image of the whole page would have more pixels than anyone looks at.
LONGEST: Final = 6000


def find_pages(
    server: DemoServer, cookies: dict[str, str], unlinked: Sequence[str]
) -> dict[str, str]:
    """Follow the links from the home page; return one URL of each kind of page, by a name."""
    found: dict[str, str] = {}
    waiting = ["/", *unlinked]
    with httpx.Client(base_url=server.url, cookies=cookies, follow_redirects=True) as client:
        while waiting:
            path = waiting.pop(0)
            name = name_of(path)
            if name in found or path.startswith(("/static/", "/api/")):
                continue
            found[name] = path
            response = client.get(path)
            if not response.headers["Content-Type"].startswith("text/html"):
                # An image or a file: it stays known, and is left out below.
                found[name] = ""
                continue
            waiting += LINK.findall(response.text)
    return {name: path for name, path in found.items() if path}


def name_of(path: str) -> str:
    """Return the name of a kind of page: its path without the ids, and without which story."""
    path = ONE_OF_MANY.sub(r"\1/one", path.partition("?")[0])
    return ID.sub("", path).strip("/").replace("//", "/").replace("/", "-") or "home"


@contextmanager
def browser() -> Iterator[Browser]:
    # Chromium's sandbox does not start for root, and CI machines often run as root.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=find_chromium(None), args=flags)
        try:
            yield opened
        finally:
            opened.close()


def sign_in(context: BrowserContext, server: DemoServer) -> None:
    page = context.new_page()
    page.goto(f"{server.url}/sign-in")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(server.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{server.url}/")
    page.close()


def add_region(server: DemoServer) -> None:
    """Have an area of a story ignored, so that the page of the regions shows one."""
    repository = server.act("list_repos")["repos"][0]["id"]
    area = {"x": 0.05, "y": 0.2, "width": 0.9, "height": 0.6}
    variant = {"storyId": "data-chart--live", "theme": "light", "device": "desktop"}
    server.act("set_dynamic_regions", repoId=repository, regions=[area], **variant)


def consent_page(server: DemoServer) -> str:
    """Register an MCP client; return the path of the page that asks for consent."""
    callback = "http://127.0.0.1:33418/callback"
    metadata = {
        "client_name": "Claude Code",
        "redirect_uris": [callback],
        "token_endpoint_auth_method": "none",
    }
    response = httpx.post(f"{server.url}/api/oauth/register", json=metadata)
    query = {
        "response_type": "code",
        "client_id": response.raise_for_status().json()["client_id"],
        "redirect_uri": callback,
        "code_challenge": "x" * 43,
        "code_challenge_method": "S256",
        "resource": f"{server.url}/api/mcp",
        "scope": "read write",
    }
    return f"/oauth/authorize?{urlencode(query)}"


def capture_connected(opened: Browser, server: DemoServer) -> None:
    """Write the page with the token and the commands, shown once after connecting."""
    context = opened.new_context(reduced_motion="reduce")
    sign_in(context, server)
    page = context.new_page()
    page.goto(f"{server.url}/repositories")
    page.get_by_role("heading", name="Connect a repository").click()
    page.get_by_label("Full name").fill(CONNECTED)
    page.get_by_role("button", name="Connect", exact=True).click()
    page.get_by_role("heading", name=f"Project token of {CONNECTED}").wait_for()
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        capture_widths(page, CONNECTED_PAGE, theme)
    context.close()


def capture(page: Page, url: str, name: str, theme: Theme) -> None:
    """Write a page at each width."""
    page.goto(url)
    capture_widths(page, name, theme)


def capture_widths(page: Page, name: str, theme: Theme) -> None:
    """Write the open page at each width."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        settle(page)
        height = page.evaluate("document.documentElement.scrollHeight")
        path = OUTPUT / f"{name}-{width}-{theme}.png"
        page.screenshot(path=path, full_page=height <= LONGEST, animations="disabled")


def capture_dialogs(page: Page, url: str, name: str, theme: Theme) -> None:
    """Write what keys open on the review page at each width: a group at once, and regions."""
    for key, dialog in DIALOGS.items():
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.goto(url)
            if width < SIDE_BY_SIDE:
                page.locator(".line--story:not(:has(.state--failed))").first.click()
            page.locator("#review[data-painted]").wait_for()
            page.keyboard.press(key)
            page.locator("dialog[open]").wait_for()
            settle(page)
            path = OUTPUT / f"{name}-{dialog}-{width}-{theme}.png"
            page.screenshot(path=path, animations="disabled")


def settle(page: Page) -> None:
    """Wait for images; a page that listens to events never becomes idle."""
    page.wait_for_load_state("load")
    page.wait_for_timeout(300)


def capture_all(server: DemoServer) -> int:
    """Write all pages; return how many there are."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for path in OUTPUT.glob("*.png"):
        path.unlink()
    with browser() as opened:
        unlinked = (*UNLINKED, consent_page(server))
        count = max([capture_in(opened, server, theme, unlinked) for theme in THEMES])
        capture_connected(opened, server)
        return count + 1


def capture_in(opened: Browser, server: DemoServer, theme: Theme, unlinked: Sequence[str]) -> int:
    """Write all pages in a theme; return how many there are."""
    context = opened.new_context(color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    for path in SIGNED_OUT:
        capture(page, f"{server.url}{path}", name_of(path), theme)
    sign_in(context, server)
    cookies = {each.get("name", ""): each.get("value", "") for each in context.cookies()}
    pages = find_pages(server, cookies, unlinked)
    for name, path in pages.items():
        capture(page, f"{server.url}{path}", name, theme)
        if name == BUILD_PAGE:
            capture_dialogs(page, f"{server.url}{path}", name, theme)
    context.close()
    return len(pages) + len(SIGNED_OUT)


def renew_document_images() -> None:
    """Write the images of the documents, in both themes."""
    DOCUMENT_IMAGES.mkdir(exist_ok=True)
    for page, name in DOCUMENT_PAGES.items():
        for theme in THEMES:
            with Image.open(OUTPUT / f"{page}-{DOCUMENT_WIDTH}-{theme}.png") as image:
                top = image.convert("RGB").crop((0, 0, DOCUMENT_WIDTH, HEIGHT))
            write_small(top.resize(STORED_SIZE), DOCUMENT_IMAGES / f"{name}-{theme}.webp")


def write_small(image: Image.Image, path: Path) -> None:
    """Write an image in the best quality that the largest file has room for."""
    for quality in range(90, 20, -5):
        image.save(path, quality=quality, method=6)
        if path.stat().st_size < LARGEST_FILE:
            return


def main() -> int:
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("--documents", action="store_true", help="renew the documents' images, too")
    options = parser.parse_args()
    # A canceled run must stop its server, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    start = time.monotonic()
    try:
        with (
            demo_folder("screenshots") as folder,
            start_services(folder) as (server, pull_request),
        ):
            prepare_review(Demo(server), pull_request)
            add_region(server)
            pull_request.add_repository(CONNECTED)
            count = capture_all(server)
    except DemoError as error:
        print(f"screenshots: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.documents:
        renew_document_images()
    seconds = time.monotonic() - start
    print(f"screenshots: {count} pages at {len(WIDTHS)} widths in {seconds:.0f} s: {OUTPUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
