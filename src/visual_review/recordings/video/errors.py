"""Errors of a conversion, with messages for the user who recorded the video."""


class VideoRefusedError(Exception):
    """The file cannot be converted to a video that browsers play; retrying does not help."""


class ConversionInterruptedError(Exception):
    """The conversion was stopped from outside; a retry may succeed."""
