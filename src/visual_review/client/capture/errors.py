"""The error that prevents a whole capture."""


class CaptureError(Exception):
    """The capture cannot run; the message names the problem and the next step."""
