"""The part of ``visual-review doctor`` for a machine with an installed server."""

from visual_review.config.standalone import privileges
from visual_review.config.standalone.postgres_programs import embedded_version


def describe_server() -> list[str]:
    """Return lines about the embedded PostgreSQL, and the user of the service's processes."""
    lines = [f"PostgreSQL {version} for 'up'"] if (version := embedded_version()) else []
    if not privileges.is_root():
        return lines
    line = (
        "started by root, 'up', 'web' and 'worker' continue as an ordinary user if that user can "
        "read the installation"
    )
    return [*lines, line]
