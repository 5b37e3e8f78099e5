"""Why the service does not start, in words for the person who starts it."""


class StartupError(Exception):
    """The message names what is wrong, where, and the way out; commands exit with 2."""
