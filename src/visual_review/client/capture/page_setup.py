"""What makes every page the same: locale, time zone, user agent, size, theme, and our scripts.

The scripts run in every frame before the page's own scripts.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.devtools import Session
from visual_review.client.capture.frames import BINDING
from visual_review.client.capture.results import CaptureSettings
from visual_review.client.capture.variants import Variant
from visual_review.variants import Theme

# The storage of the tab is cleared by leftovers.js.
STORED: Final = "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage"
Command = tuple[str, dict[str, Any]]
# Requested by stories in Chromatic's parameters; the only other request is the media type.
MEDIA_FEATURES: Final = {"forced-colors": "active", "prefers-reduced-motion": "reduce"}
PRINT: Final = "media"
FOLDER: Final = Path(__file__).parent / "scripts"
# Each script may use what earlier scripts put on the shared object.
NAMES: Final = (
    "frames",
    "timers",
    "limits",
    "dates",
    "random",
    "globals",
    "loads",
    "observers",
    "changes",
    "still",
    "replies",
    "doubts",
    "videos",
    "channel",
    "startup",
    "overrides",
    "themes",
    "leftovers",
    "style_leftovers",
    "restored",
    "parameters",
    "regions",
    "gestures",
    "problems",
    "settle",
    "sizes",
    "take",
)
WORKER_NAMES: Final = ("timers", "dates", "random", "worker")


async def prepare_session(session: Session, script: str, user_agent: str) -> None:
    """Prepare a page or a frame before anything is loaded. Raises ``BrowserError``."""
    commands: list[Command] = [
        ("Page.enable", {}),
        ("Inspector.enable", {}),
        # No body is ever read, so none is stored.
        ("Network.enable", {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1}),
        ("Runtime.enable", {}),
        ("Runtime.addBinding", {"name": BINDING}),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": script}),
        # Dates and numbers must not depend on the machine's locale and time zone.
        ("Emulation.setLocaleOverride", {"locale": "en-US"}),
        ("Emulation.setTimezoneOverride", {"timezoneId": "UTC"}),
        (
            "Emulation.setUserAgentOverride",
            {"userAgent": user_agent, "acceptLanguage": "en-US"},
        ),
        # Several pages share a browser, and each page shows its focus as the only page would.
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
    ]
    await asyncio.gather(*(session.start(name, **values) for name, values in commands))


def media_command(theme: Theme, asked: Iterable[str] = ()) -> Command:
    """Return the command that sets the preferred theme and the media a story asks for."""
    names = set(asked)
    features = {"prefers-color-scheme": theme} | {
        name: value for name, value in MEDIA_FEATURES.items() if name in names
    }
    return "Emulation.setEmulatedMedia", {
        "media": "print" if PRINT in names else "",
        "features": [{"name": name, "value": value} for name, value in features.items()],
    }


def variant_commands(variant: Variant, settings: CaptureSettings) -> Iterator[Command]:
    width, height = settings.viewports[variant.device]
    landscape = width > height
    orientation = {
        "angle": 90 if landscape else 0,
        "type": "landscapePrimary" if landscape else "portraitPrimary",
    }
    yield (
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": height,
            "screenWidth": width,
            "screenHeight": height,
            "deviceScaleFactor": 1,
            "mobile": False,
            "screenOrientation": orientation,
        },
    )
    # Stories must not find data stored by stories of the variant before.
    yield "Storage.clearDataForOrigin", {"origin": f"http://{HOST}", "storageTypes": STORED}
    yield media_command(variant.theme)


def page_script(settings: CaptureSettings) -> str:
    """Return the script for every page, to run before the Storybook."""
    return _join_scripts(NAMES, settings)


def worker_script(settings: CaptureSettings) -> str:
    """Return the script for every worker, to run before the worker's own script."""
    return _join_scripts(WORKER_NAMES, settings)


def _join_scripts(names: Sequence[str], settings: CaptureSettings) -> str:
    values = json.dumps(
        {
            "instant": round(settings.instant.timestamp() * 1000),
            "startupQuiet": round(settings.startup_quiet * 1000),
        }
    )
    scripts = [(FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in names]
    # A frame's first document shares its window with the empty document before.
    guard = "if (globalThis.__visualReview) return globalThis.__visualReview.watchDocument?.();"
    body = "\n".join(scripts)
    return f"(() => {{ {guard}\nconst SETTINGS = {values};\n{body}\n}})();"
