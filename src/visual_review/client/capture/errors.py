"""The error that prevents a whole capture, and why a page could not show a story."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

START_REMEDY: Final = (
    "Build the Storybook again and pass the whole folder. If that does not help, serve the folder "
    "and open iframe.html in a browser: its console says more."
)
OUTCOMES: Final = {
    "missing": "Storybook could not find or load the story",
    "errored": "The story reported an error",
    "threw": "The story threw an exception",
    "play": "The play function failed",
    "unhandled": "The play function left errors unhandled",
    "config": "The Storybook's preview could not start",
}


class CaptureError(Exception):
    """The capture cannot run; the message names the problem and the next step."""


class Remedy(Enum):
    """What can still help after a failure."""

    # The story itself is the reason, in this variant.
    NONE = "none"
    # The story before may have broken the page.
    NEW_PAGE = "new page"
    # The story takes too long in every variant; only a machine with nothing else to do may help.
    ALONE = "alone"


@dataclass
class PageError(Exception):
    """The page cannot be used any more; the message says why."""

    message: str
    remedy: Remedy = Remedy.NONE

    def __str__(self) -> str:
        return self.message


def blocked(seconds: float) -> PageError:
    return PageError(
        f"The story blocked the page for {seconds:g} seconds: a script did not return. "
        "It was not tried in other variants.",
        Remedy.ALONE,
    )


def stalled(seconds: float) -> PageError:
    return PageError(
        f"The page did not respond, and its browser did nothing at all for {seconds:g} seconds.",
        Remedy.ALONE,
    )


def late(seconds: float, phase: str) -> PageError:
    return PageError(
        f"The story did not render within {seconds:g} seconds (it was in the phase {phase!r}). "
        "It was not tried in other variants.",
        Remedy.ALONE,
    )


def cannot_start(reason: str) -> PageError:
    return PageError(f"{OUTCOMES['config']}: {reason}", Remedy.ALONE)


def navigated(url: str, *, reloaded: bool) -> PageError:
    if reloaded:
        return PageError("The story reloaded the page.")
    return PageError(f"The story navigated away to {url}.")


def closed() -> PageError:
    return PageError("The page closed itself.")


def crashed() -> PageError:
    return PageError("The page crashed while the story was shown.", Remedy.NEW_PAGE)


def browser_lost() -> PageError:
    return PageError("The browser crashed while the story was shown.", Remedy.NEW_PAGE)
