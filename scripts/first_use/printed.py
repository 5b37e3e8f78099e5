"""The facts a person reads in the output of ``visual-review up`` and ``visual-review publish``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scripts.first_use.errors import FirstUseError

READY: Final = re.compile(r"^Visual Review is ready at (http\S+)$", re.MULTILINE)
SETUP_LINK: Final = re.compile(r"http\S+/setup/\S+")
LAST_LINE: Final = "Press Ctrl-C to stop."
HEADLINE: Final = re.compile(r"^Build #(\d+): (.+) \(took .+\)$", re.MULTILINE)
BUILD_LINK: Final = re.compile(r"^(?:Review|Build): (http\S+)$", re.MULTILINE)
# The hint names a button in quotes, spelled as on the page.
NAMED_BUTTON: Final = re.compile(r'choose "([^"]+)"')


@dataclass(frozen=True)
class PrintedGreeting:
    """The message of ``up`` when ready."""

    url: str
    setup_link: str


@dataclass(frozen=True)
class PrintedBuild:
    """The message of ``publish`` at the end."""

    number: int
    verdict: str
    url: str
    # Empty if no hint names a button to choose.
    button: str


def read_greeting(lines: Sequence[str]) -> PrintedGreeting:
    """Read the end of the output. Raises FirstUseError if anything follows the greeting."""
    text = "\n".join(lines)
    ready, link = READY.search(text), SETUP_LINK.search(text)
    if ready is None or link is None:
        raise FirstUseError(f"The server printed no URL or no link for the set-up:\n{text}")
    if lines[-1] != LAST_LINE:
        raise FirstUseError(f"The greeting is not the last that the server printed:\n{text}")
    greeting = lines[lines.index(ready[0]) :]
    if any(line.startswith("{") for line in greeting):
        raise FirstUseError("Lines of the log are among those of the greeting:\n" + text)
    return PrintedGreeting(ready[1], link[0])


def read_build(output: str) -> PrintedBuild:
    """Read the output of a publish. Raises FirstUseError without a build or a link."""
    headline, link = HEADLINE.search(output), BUILD_LINK.search(output)
    if headline is None or link is None:
        raise FirstUseError(f"The command printed no result or no link:\n{output}")
    # Long lines may be folded.
    button = NAMED_BUTTON.search(" ".join(output.split()))
    name = "" if button is None else button[1]
    return PrintedBuild(int(headline[1]), headline[2], link[1], name)
