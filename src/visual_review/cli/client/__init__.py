"""Commands that run in CI; each module adds its own command to the app."""

from collections.abc import Callable

import typer

from visual_review.cli.client.capture import capture_command
from visual_review.cli.client.diff import diff
from visual_review.cli.client.doctor import doctor
from visual_review.cli.client.publish import publish_command
from visual_review.cli.client.recordings import recordings_command

COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("capture", capture_command),
    ("diff", diff),
    ("doctor", doctor),
    ("publish", publish_command),
    ("recordings", recordings_command),
)


def register(app: typer.Typer) -> None:
    """Add every client command to ``app``."""
    for name, command in COMMANDS:
        app.command(name)(command)
