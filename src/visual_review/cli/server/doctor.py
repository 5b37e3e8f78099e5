"""What ``visual-review doctor`` says about a machine where the server is installed."""

from visual_review.config.commands.confinement_report import describe_machine


def describe_server() -> list[str]:
    """Return lines about the isolation of the service's processes."""
    return describe_machine()
