"""Prints where the time of a capture went."""

from visual_review.cli.client.console import make_console, print_line
from visual_review.client.capture.profile import Profile


def print_profile(profile: Profile) -> None:
    """Print it to stderr, like everything that is not the result."""
    console = make_console(stderr=True)
    for line in profile.lines():
        print_line(console, line)
