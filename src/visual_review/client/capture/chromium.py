"""Finds Chromium and says how it is started so that the same page gives the same pixels."""

import os
import shutil
from pathlib import Path

from playwright.async_api import Playwright
from playwright.sync_api import Playwright as SyncPlaywright

from visual_review.client.capture.errors import CaptureError

ENVIRONMENT = "VISUAL_REVIEW_CHROMIUM"

# The headless shell comes first: it draws the same and is about twice as fast.
NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)

# Stories are always under this name, whatever port was free, so that a shown address is stable.
HOST = "storybook.localhost"

# Animated images stand still; the pointer settings are those of a desktop with a mouse.
BLINK_SETTINGS = (
    "imageAnimationPolicy=2",
    "primaryHoverType=2",
    "availableHoverTypes=2",
    "primaryPointerType=4",
    "availablePointerTypes=4",
)
# Each keeps out what differs between machines or runs: anti-aliasing by the screen's pixels,
# hinting, colour profiles, instructions of one processor, and work of the browser's own.
STABLE_FLAGS = (
    "--disable-background-networking",
    "--disable-checker-imaging",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-lcd-text",
    "--disable-partial-raster",
    "--disable-skia-runtime-opts",
    "--disable-sync",
    "--disable-threaded-animation",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-proxy-server",
    "--blink-settings=" + ",".join(BLINK_SETTINGS),
)


def find_chromium(playwright: Playwright | SyncPlaywright, chosen: Path | None) -> Path:
    """The browser to run: chosen, from the environment, on the path, or Playwright's download."""
    named = chosen or (Path(os.environ[ENVIRONMENT]) if os.environ.get(ENVIRONMENT) else None)
    if named is not None:
        if not named.is_file():
            raise CaptureError(
                f"There is no browser at {named}. Correct the path or {ENVIRONMENT}."
            )
        return named
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    downloaded = Path(playwright.chromium.executable_path)
    if downloaded.is_file():
        return downloaded
    raise CaptureError(
        "No Chromium was found. Install the system's package (chromium or chromium-headless-shell), "
        "or run `playwright install --with-deps --only-shell chromium`, "
        f"or name a browser in {ENVIRONMENT}."
    )


def stable_flags() -> list[str]:
    """Flags that take part in how a page looks; they are reported with every build."""
    return list(STABLE_FLAGS)


def local_flags(port: int, allow_hosts: tuple[str, ...]) -> list[str]:
    """Flags that depend on this run: where the Storybook is served and who may be asked.

    Every other name is unknown to the browser at once, so a host that is slow or away today
    cannot change an image.
    """
    rules = [f"MAP {HOST} 127.0.0.1:{port}", "MAP * ~NOTFOUND"]
    rules += [f"EXCLUDE {host}" for host in ("127.0.0.1", *allow_hosts)]
    flags = ["--host-resolver-rules=" + ", ".join(rules)]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Chromium refuses to run as root inside its sandbox.
        flags.append("--no-sandbox")
    return flags
