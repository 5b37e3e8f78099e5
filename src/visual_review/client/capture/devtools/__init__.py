"""A client of Chromium's DevTools protocol over a pipe."""

from visual_review.client.capture.devtools.connection import Connection, Session
from visual_review.client.capture.devtools.errors import (
    BrowserError,
    ConnectionLostError,
    ProtocolError,
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
