"""The error that ends a benchmark early."""


class BenchmarkError(Exception):
    """The benchmark cannot continue; the message has the reason and the next step."""
