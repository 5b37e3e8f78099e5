"""What ``visual-review doctor`` says about a machine where the server is installed."""

from visual_review.config.standalone import privileges


def describe_server() -> list[str]:
    """Return lines about the user of the service's processes."""
    if not privileges.is_root():
        return []
    line = (
        "started by root, 'up', 'web' and 'worker' continue as an ordinary user if that user can "
        "read the installation"
    )
    return [line]
