"""What is wrong with a video, in words for whoever recorded it."""


class VideoRefusedError(Exception):
    """The file cannot become a video that browsers play; trying again changes nothing."""


class ConversionInterruptedError(Exception):
    """The conversion was ended from outside; it may succeed another time."""
