"""Why the service cannot start, for the person who starts it."""


class StartupError(Exception):
    """The message says what is wrong, where, and what to do; commands exit with 2."""
