"""The commands of the program, each loaded by name: none pays for what another one imports."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import typer

SERVER_MARKER = "django"
# Earlier names, which scripts still use.
ALIASES = {"reseal": "rotate-key"}


@dataclass(frozen=True)
class Entry:
    """``attribute`` of ``module`` is the command; ``help`` the first line of its docstring."""

    name: str
    module: str
    attribute: str
    help: str


def _server(name: str, module: str, text: str) -> Entry:
    return Entry(name, f"visual_review.cli.server.{module}", name.replace("-", "_"), text)


def _client(name: str, attribute: str, text: str) -> Entry:
    return Entry(name, f"visual_review.cli.client.{name}", attribute, text)


SERVER = (
    _server(
        "up", "up", "Run all of the service: a database of its own, the web process and a worker."
    ),
    _server(
        "migrate",
        "migrate",
        "Bring the database to this program's version; run it before the first start and upgrades.",
    ),
    _server("web", "web", "Serve pages and interfaces; start as many of these as are needed."),
    _server("worker", "worker", "Run background jobs; start as many of these as are needed."),
    _server(
        "backup",
        "backup",
        "Write database, images and recordings to one file; the service may run meanwhile.",
    ),
    _server(
        "restore",
        "backup",
        "Restore a backup into a new data folder, or an empty database and storage.",
    ),
    _server(
        "retention",
        "retention",
        "Delete what is kept longer than the settings say; the worker does it every night.",
    ),
    _server(
        "rotate-key",
        "rotate_key",
        "Encrypt stored secrets with the newest of VISUAL_REVIEW_SEALING_KEYS; safe to repeat.",
    ),
    _server("charges", "charges", "Print the charges of a month as CSV, by whole days of UTC."),
    _server("keys", "keys", "Make, list and revoke API keys on this machine."),
)
CLIENT = (
    _client("capture", "capture_command", "Capture the stories of a built Storybook as PNG files."),
    _client("diff", "diff", "Compare two PNG files, or two folders file by file."),
    _client(
        "doctor", "doctor", "Check browser, commit, server and token without publishing anything."
    ),
    _client(
        "publish",
        "publish_command",
        "Publish a built Storybook or a folder of PNG files as a build.",
    ),
    _client(
        "recordings",
        "recordings_command",
        "Upload the videos of a test run, with the tests, steps and errors its report tells.",
    ),
)


def installed() -> tuple[Entry, ...]:
    """The client half always, the server half where its dependencies are installed."""
    return (*SERVER, *CLIENT) if find_spec(SERVER_MARKER) is not None else CLIENT


def load(app: typer.Typer, entries: Iterable[Entry]) -> None:
    """Import the commands and add them to ``app``."""
    for entry in entries:
        found = getattr(import_module(entry.module), entry.attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=entry.name)
        else:
            app.command(entry.name)(found)
            for alias in (alias for alias, name in ALIASES.items() if name == entry.name):
                app.command(alias, hidden=True)(found)


def announce(app: typer.Typer, entries: Iterable[Entry]) -> None:
    """Add the commands by name and help alone, for a list of them or a mistyped one."""
    for entry in entries:
        app.command(entry.name, help=entry.help)(_not_loaded(entry))


def _not_loaded(entry: Entry) -> Callable[[], None]:
    def refuse() -> None:
        raise AssertionError(f"{entry.name} was announced and then run")

    return refuse
