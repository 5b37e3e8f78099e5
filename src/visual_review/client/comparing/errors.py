"""Why a comparison of folders ends early; the messages are for the person who started it."""


class InputError(Exception):
    """The paths or options cannot be used; nothing was compared."""


class OutputError(Exception):
    """The report cannot be written."""


class UnreadableFileError(Exception):
    """One file cannot be read; the others can still be compared."""
