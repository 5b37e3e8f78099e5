"""The error that prevents a whole capture."""


class CaptureError(Exception):
    """The capture cannot run; the message says what is wrong and what to do."""
