"""Finds Chromium, its environment, and the flags with which the same page gives the same pixels."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from visual_review.client.capture.errors import CaptureError

DRIVER_ENVIRONMENT: Final = "PLAYWRIGHT_BROWSERS_PATH"
INSIDE_THE_PACKAGE: Final = "0"
COMPLETE: Final = "INSTALLATION_COMPLETE"
# The headless shell comes first, as everywhere; the folders below depend on version and system.
PROGRAMS: Final = {
    "chromium_headless_shell": ("chrome-headless-shell", "headless_shell"),
    "chromium": ("chrome", "Chromium", "Google Chrome for Testing"),
}
ENVIRONMENT = "VISUAL_REVIEW_CHROMIUM"
# The headless shell comes first: it renders the same and is about twice as fast.
NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# Stories always have this host name, whatever the port, so that a rendered URL is stable.
HOST = "storybook.localhost"
# Animated images stand still; the pointer settings describe a desktop with a mouse.
BLINK_SETTINGS = (
    "imageAnimationPolicy=2",
    "primaryHoverType=2",
    "availableHoverTypes=2",
    "primaryPointerType=4",
    "availablePointerTypes=4",
)
# Features that change when pages load and paint, or send requests of their own.
DISABLED_FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
)
# Each flag disables a source of differences between machines or runs: subpixel anti-aliasing,
# hinting, color profiles, instructions of some processors, and background work of the browser.
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
# With these flags, a browser obeys one program and leaves everything else alone.
AUTOMATION_FLAGS = (
    "--headless",
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-features=" + ",".join(DISABLED_FEATURES),
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--enable-features=CDPScreenshotNewSurface",
    "--enable-unsafe-swiftshader",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-service-autorun",
    "--no-startup-window",
    "--password-store=basic",
    "--remote-debugging-pipe",
    "--use-mock-keychain",
)
# The list names needed variables, because no list of names of secrets is ever complete. Proxies are
# left out, too: their URLs have passwords, and the browser uses none.
VARIABLES: Final = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "PATH", "TZ"),
        *("TEMP", "TMP", "TMPDIR"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME"),
        *("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"),
        *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES"),
        *("PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR"),
    }
)
# Locale, fonts and drawing, which change pixels.
VARIABLE_PREFIXES: Final = ("EGL_", "FONTCONFIG_", "GALLIUM_", "LC_", "LIBGL_", "MESA_", "VK_")


def find_chromium(chosen: Path | None) -> Path:
    """Return the browser: chosen, from the environment, on the path, or Playwright's download."""
    configured = chosen or (Path(os.environ[ENVIRONMENT]) if os.environ.get(ENVIRONMENT) else None)
    if configured is not None:
        if not configured.is_file():
            raise CaptureError(
                f"There is no browser at {configured}. Correct the path or {ENVIRONMENT}."
            )
        return configured
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    if downloaded := find_downloaded():
        return downloaded
    raise CaptureError(
        "Chromium was not found. Install the system package (chromium or chromium-headless-shell), "
        f"run `{_install_command()}`, "
        f"or set {ENVIRONMENT} to a browser."
    )


def _install_command() -> str:
    # Playwright's own command is next to this Python, which need not be on the path.
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m playwright install --with-deps --only-shell chromium"


def stable_flags() -> list[str]:
    """Return the flags that affect rendering, reported with every build."""
    return list(STABLE_FLAGS)


def automation_flags() -> list[str]:
    """Return the flags for controlling the browser over a pipe."""
    return list(AUTOMATION_FLAGS)


def local_flags(port: int, allow_hosts: tuple[str, ...]) -> list[str]:
    """Return the flags of this run: where the Storybook is served, and the allowed hosts.

    Every other name and IP address fails to resolve immediately, so no story reaches another port
    of this machine, and a slow or unavailable host cannot change an image. ``allow_hosts`` have a
    port each, or all ports of a host are allowed.
    """
    rules = [f"MAP {HOST} 127.0.0.1:{port}"]
    rules += [f"MAP {host} {host}" for host in allow_hosts if _has_port(host)]
    rules.append("MAP * ~NOTFOUND")
    rules += [f"EXCLUDE {host}" for host in allow_hosts if not _has_port(host)]
    return [
        "--host-resolver-rules=" + ", ".join(rules),
        # WebRTC sends UDP to IP addresses without resolving names.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    ]


def _has_port(host: str) -> bool:
    return re.fullmatch(r".*:\d+", host) is not None


def find_downloaded() -> Path | None:
    """Return the newest Chromium downloaded by Playwright."""
    for folder in _download_folders():
        for kind, names in PROGRAMS.items():
            for browser in sorted(folder.glob(f"{kind}-*"), key=_revision, reverse=True):
                if program := _find_program(browser, names):
                    return program
    return None


def _download_folders() -> Iterator[Path]:
    chosen = os.environ.get(DRIVER_ENVIRONMENT)
    if chosen == INSIDE_THE_PACKAGE:
        package = find_spec("playwright")
        for place in (package.submodule_search_locations or ()) if package else ():
            yield Path(place) / "driver" / "package" / ".local-browsers"
    elif chosen:
        yield Path(chosen)
    else:
        yield _cache_folder() / "ms-playwright"


def _cache_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    configured = os.environ.get("XDG_CACHE_HOME")
    return Path(configured) if configured else Path.home() / ".cache"


def _revision(folder: Path) -> int:
    number = re.search(r"-(\d+)$", folder.name)
    return int(number[1]) if number else -1


def _find_program(browser: Path, names: tuple[str, ...]) -> Path | None:
    # An interrupted download has files, but not this one.
    if not (browser / COMPLETE).is_file():
        return None
    for name in names:
        for pattern in (f"*/{name}", f"*/*.app/Contents/MacOS/{name}"):
            found = next((each for each in browser.glob(pattern) if each.is_file()), None)
            if found is not None:
                return found
    return None


def select_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the browser needs; on Windows, names may have lower case."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in VARIABLES or name.startswith(VARIABLE_PREFIXES)
    }
