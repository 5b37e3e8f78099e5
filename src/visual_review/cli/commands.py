"""The commands of the program, imported by name: each imports only its own dependencies."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import typer
from typer.core import TyperCommand

from visual_review.cli.quick_command import QuickCommand

SERVER_MARKER = "django"
# The client offered by a server has no module of this package.
SERVER_PACKAGE = "visual_review.cli.server"


@dataclass(frozen=True)
class Entry:
    """``attribute`` of ``module`` is the command; ``help`` the first line of its docstring."""

    name: str
    module: str
    attribute: str
    help: str
    command_class: type[TyperCommand] | None = None


def _server(name: str, module: str, text: str) -> Entry:
    return Entry(name, f"visual_review.cli.server.{module}", name.replace("-", "_"), text)


def _client(name: str, attribute: str, text: str) -> Entry:
    return Entry(name, f"visual_review.cli.client.{name}", attribute, text)


SERVER = (
    _server("up", "up", "Run the whole service: its own database, the web process and a worker."),
    _server(
        "migrate",
        "migrate",
        "Migrate the database; run it before the first start and with each upgrade.",
    ),
    _server(
        "web", "web", "Serve the pages and APIs; start as many of these processes as you need."
    ),
    _server(
        "worker", "worker", "Run background jobs; start as many of these processes as you need."
    ),
    _server(
        "backup",
        "backup",
        "Back up the database, images and recordings to one file, even while the service runs.",
    ),
    _server(
        "restore",
        "backup",
        "Restore a backup into a new data folder, or into an empty database and storage.",
    ),
    _server(
        "retention",
        "retention",
        "Delete what has passed its retention period; the worker does this every night.",
    ),
    _server(
        "rotate-key",
        "rotate_key",
        "Re-encrypt stored secrets with the newest key of VISUAL_REVIEW_SEALING_KEYS; repeatable.",
    ),
    _server("charges", "charges", "Print the charges of a month as CSV, prorated by UTC day."),
    _server(
        "password-link",
        "password_link",
        "Print a one-time link with which a person can choose a new password, valid for 24 hours.",
    ),
    _server("organizations", "organizations", "Create and list organizations on this machine."),
    _server("keys", "keys", "Create, list and revoke API keys on this machine."),
    _server("jobs", "jobs", "List failed background jobs, and run them again."),
)
CLIENT = (
    Entry(
        "check",
        "visual_review.cli.client.check",
        "check_command",
        "Compare a built Storybook, or a folder of images, with the approved baseline.",
    ),
    Entry(
        "capture",
        "visual_review.cli.client.capture",
        "capture_command",
        "Capture the stories of a built Storybook as PNG files.",
        command_class=QuickCommand,
    ),
    Entry(
        "diff",
        "visual_review.cli.client.diff",
        "diff",
        "Compare two images, or two folders of them, and write a report.",
        command_class=QuickCommand,
    ),
    _client(
        "doctor",
        "doctor",
        "Check the browser, comparison, commit, server and token without publishing anything.",
    ),
    _client("login", "login", "Sign in with the browser, for `visual-review check`."),
    _client(
        "publish",
        "publish_command",
        "Publish a built Storybook or a folder of images as a build.",
    ),
    _client(
        "recordings",
        "recordings_command",
        "Upload the videos of a test run, with the tests, steps and errors from its report.",
    ),
)


def installed_commands() -> tuple[Entry, ...]:
    """Return the client commands, and the server commands if their dependencies are installed."""
    return (*SERVER, *CLIENT) if is_server_installed() else CLIENT


def is_server_installed() -> bool:
    return all(find_spec(name) is not None for name in (SERVER_MARKER, SERVER_PACKAGE))


def load_commands(app: typer.Typer, entries: Iterable[Entry]) -> None:
    """Import the commands and add them to ``app``."""
    for entry in entries:
        found = getattr(import_module(entry.module), entry.attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=entry.name)
        else:
            app.command(entry.name, cls=entry.command_class)(found)


def add_stubs(app: typer.Typer, entries: Iterable[Entry]) -> None:
    """Add the commands with name and help only, for the list and for reporting a mistyped one."""
    for entry in entries:
        app.command(entry.name, help=entry.help, short_help=entry.help)(_make_stub(entry))


def _make_stub(entry: Entry) -> Callable[[], None]:
    def stub() -> None:
        raise AssertionError(f"{entry.name} was listed without being loaded, and then run")

    return stub
