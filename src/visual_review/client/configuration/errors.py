from visual_review.client.capture import CaptureError


class ConfigurationError(CaptureError):
    """A configuration file that cannot be used; the message names the file and the line."""
