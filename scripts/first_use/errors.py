"""The error that ends a first use."""


class FirstUseError(Exception):
    """Something printed did not work as printed; the message has the text and the result."""
