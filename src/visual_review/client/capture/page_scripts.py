"""The scripts running in every frame before the page's own scripts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from visual_review.client.capture.results import CaptureSettings

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
