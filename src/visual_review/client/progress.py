"""Progress of a publish; the command line decides about the presentation."""

from typing import Protocol


class Reporter(Protocol):
    """Called from one thread at a time."""

    def note(self, text: str) -> None:
        """Show one line of text."""

    def begin(self, step: str, total: int) -> None:
        """Start a step of ``total`` parts; the previous step has ended."""

    def advance(self) -> None:
        """Count one more part of the step as done."""

    def end(self) -> None:
        """End the step, even if parts are missing."""
