"""Reasons for a failed start, for the person who starts the service."""


class StartupError(Exception):
    """The message says what is wrong, where, and what to do; commands exit with 2."""
