"""A client of Chromium's DevTools protocol over a pipe."""

from visual_review.client.capture.devtools.connection import (
    BrowserError,
    Connection,
    ConnectionLostError,
    ProtocolError,
    Session,
    TargetLostError,
)
from visual_review.client.capture.devtools.process import BrowserProcess, start_browser

__all__ = [
    "BrowserError",
    "BrowserProcess",
    "Connection",
    "ConnectionLostError",
    "ProtocolError",
    "Session",
    "TargetLostError",
    "start_browser",
]
