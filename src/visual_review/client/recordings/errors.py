"""Why a test report cannot be read."""

from visual_review.client.transport.errors import InputError


class ReportError(InputError):
    """A test report cannot be read; the message names the file and the position in it."""
