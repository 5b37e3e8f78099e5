"""The oldest browser that a capture works with."""

import re
from pathlib import Path
from typing import Final

from visual_review.client.capture.errors import CaptureError

# Of December 2023. Older ones lack what our scripts call, and stories of today's tools.
OLDEST: Final = 120
REMEDY: Final = (
    "Update it, choose another one with --chromium, or install one with "
    "`python -m playwright install --only-shell chromium`."
)


def require_supported(path: Path, version: str) -> None:
    """Raise ``CaptureError`` for a browser that is older, or not Chromium."""
    major = re.match(r"(\d+)\.", version)
    if major is None:
        raise CaptureError(
            f"The browser {path} says that its version is {version[:40]!r}, which is not one "
            f"of Chromium. {REMEDY}"
        )
    if int(major[1]) < OLDEST:
        raise CaptureError(
            f"The browser {path} has version {version}, which is too old: a capture needs "
            f"Chromium {OLDEST} or later. {REMEDY}"
        )
