"""What ends a first use."""


class FirstUseError(Exception):
    """Something printed did not work as printed; the message says what, and what happened."""
