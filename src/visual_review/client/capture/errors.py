"""What can keep a capture from running at all."""


class CaptureError(Exception):
    """The capture cannot run; the message says what is wrong and what to do."""
