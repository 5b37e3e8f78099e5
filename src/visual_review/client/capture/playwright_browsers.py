"""Finds the browsers that ``playwright install`` downloaded, without starting its driver."""

import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ENVIRONMENT: Final = "PLAYWRIGHT_BROWSERS_PATH"
INSIDE_THE_PACKAGE: Final = "0"
COMPLETE: Final = "INSTALLATION_COMPLETE"
# The headless shell comes first, as everywhere; the folders below depend on version and system.
PROGRAMS: Final = {
    "chromium_headless_shell": ("chrome-headless-shell", "headless_shell"),
    "chromium": ("chrome", "Chromium", "Google Chrome for Testing"),
}


def find_downloaded() -> Path | None:
    """Return the newest Chromium that Playwright downloaded."""
    for folder in _download_folders():
        for kind, names in PROGRAMS.items():
            for browser in sorted(folder.glob(f"{kind}-*"), key=_revision, reverse=True):
                if program := _find_program(browser, names):
                    return program
    return None


def _download_folders() -> Iterator[Path]:
    chosen = os.environ.get(ENVIRONMENT)
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
