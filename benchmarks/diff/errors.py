"""What ends a benchmark early."""


class BenchmarkError(Exception):
    """The benchmark cannot continue; the message says why and what to do."""
