"""The renderer of the images: the browser, fonts, flags, our own code and the capture settings."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Final

from visual_review.client.capture.chromium import find_chromium, select_variables, stable_flags
from visual_review.client.capture.results import CaptureSettings
from visual_review.client.capture.sources.fingerprint import Renderer, digest, make_renderer_hash
from visual_review.client.capture.sources.project import hash_file

# These settings affect where and how fast images are taken, not how images look.
NEUTRAL_SETTINGS: Final = frozenset(
    {"chromium", "require_sandbox", "stories_per_load", "workers", "preview_path", "startup_quiet"}
    | {"theme_expectation", "captured_themes"}
)
PACKAGE: Final = Path(__file__).parents[1]
SECONDS: Final = 20
# The place of the browser's own files has no effect on images.
LOCALE_PREFIXES: Final = ("FONTCONFIG_", "GALLIUM_", "LANG", "LC_", "LIBGL_", "MESA_", "VK_")
FONT_FOLDERS: Final = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts"),
    *("/Library/Fonts", "/System/Library/Fonts", "~/Library/Fonts", "C:/Windows/Fonts"),
)
FONT_FORMAT: Final = "%{family}|%{style}|%{fontversion}|%{fontformat}\n"


def read_renderer(settings: CaptureSettings) -> Renderer:
    """Return the renderer for ``settings``. Raises CaptureError without a browser."""
    browser = find_chromium(settings.chromium)
    line = _run(str(browser), "--version")
    version = next((word for word in line.split() if word[:1].isdigit()), "")
    parts = {
        # An unreadable line is the same for every version, unlike the file itself.
        "browser": digest(line or hash_file(browser)),
        "fonts": digest(_list_fonts()),
        "flags": digest([stable_flags(), platform.system(), platform.machine(), _list_variables()]),
        "capture": _hash_own_code(),
        "settings": digest_settings(settings),
    }
    return Renderer(version, parts)


def hash_renderer(settings: CaptureSettings) -> str:
    """Return the renderer hash for ``settings``. Raises CaptureError without a browser."""
    return make_renderer_hash(read_renderer(settings))


def _run(*command: str) -> str:
    variables = select_variables(os.environ)
    try:
        done = subprocess.run(  # noqa: S603 - The browser that will run anyway, and fc-list.
            command, capture_output=True, timeout=SECONDS, check=False, env=variables
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""


def _list_fonts() -> list[str]:
    """Return the fonts by name and version: their folders differ between machines."""
    program = shutil.which("fc-list")
    listed = _run(program, "--format", FONT_FORMAT) if program else ""
    return sorted(set(listed.splitlines()) if listed else _list_font_files())


def _list_font_files() -> Iterator[str]:
    # Small container images have fonts but no program to list them.
    for folder in map(Path, FONT_FOLDERS):
        for path in folder.expanduser().rglob("*"):
            if path.is_file():
                yield f"{path.name}|{path.stat().st_size}"


def _list_variables() -> dict[str, str]:
    chosen = select_variables(os.environ)
    return {name: chosen[name] for name in chosen if name.startswith(LOCALE_PREFIXES)}


@cache
def _hash_own_code() -> str:
    paths = [path for path in PACKAGE.rglob("*") if path.suffix in {".js", ".py"}]
    return digest(sorted((path.relative_to(PACKAGE).as_posix(), hash_file(path)) for path in paths))


def digest_settings(settings: CaptureSettings) -> str:
    """Return the digest of the settings that may change an image: all but a few."""
    names = [each.name for each in fields(settings) if each.name not in NEUTRAL_SETTINGS]
    return digest({name: _plain(getattr(settings, name)) for name in names})


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key]) for key in value}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(value)
