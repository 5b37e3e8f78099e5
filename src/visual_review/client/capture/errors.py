"""The error for a capture without any image."""


class CaptureError(Exception):
    """The capture cannot run; the message names the problem and the next step."""
