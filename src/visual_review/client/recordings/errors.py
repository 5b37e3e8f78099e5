"""Why a report of tests cannot be read."""

from visual_review.client.transport.errors import InputError


class ReportError(InputError):
    """The message names the file and the place in it."""
