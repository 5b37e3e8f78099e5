"""``visual-review check``: compares with the approved baseline on this machine."""

import hashlib
import os
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer
from filelock import FileLock, Timeout

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture_choices import load_configuration
from visual_review.cli.client.check_summary import make_check_document, print_check
from visual_review.cli.client.console import make_console
from visual_review.cli.client.output import print_json
from visual_review.cli.client.publish import make_command
from visual_review.cli.client.publish_choices import CaptureChoices, PublishChoices
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.cli.client.uploading import (
    make_reporter,
    make_retry_reporter,
    report_errors,
)
from visual_review.client.checking.baseline import BaselineService
from visual_review.client.checking.cache import Cache, open_cache
from visual_review.client.checking.check import CheckRequest, CheckResult, check
from visual_review.client.checking.expectation import parse_expectation
from visual_review.client.checking.project import find_base_branch, find_repository
from visual_review.client.comparing.errors import OutputError
from visual_review.client.comparing.output_folder import PAGE
from visual_review.client.configuration.model import CheckConfiguration
from visual_review.client.transport.connection import validate_base_url
from visual_review.client.transport.credentials import Credential
from visual_review.client.transport.errors import InputError
from visual_review.client.transport.retry import RetryPolicy
from visual_review.client.transport.sign_in import StoredSignIn, open_token_file
from visual_review.kernel.usable_cores import usable_cores

KEY_VARIABLE: Final = "VISUAL_REVIEW_KEY"
NOTHING_CHANGED: Final = 0
CHANGED: Final = 1
REPORTS: Final = "reports"
# Checked files belong to no commit yet; git has the same notation.
NOT_COMMITTED: Final = "0" * 40
# A person waits: a restarting server is soon back, or offline.
ATTEMPTS: Final = 2
BASELINE: Final = "What to compare with"
RESULT: Final = "The result"

Key = Annotated[
    str,
    typer.Option(
        envvar=KEY_VARIABLE,
        help="Personal API key. Default: the sign-in of `visual-review login`.",
        rich_help_panel=BASELINE,
    ),
]
Repository = Annotated[
    str | None,
    typer.Option(
        metavar="OWNER/REPO",
        help="Name of the repository. Default: of git's remote `origin`.",
        rich_help_panel=BASELINE,
    ),
]
BaseBranch = Annotated[
    str | None,
    typer.Option(
        help="Branch that this one will be merged into. Default: the default branch.",
        rich_help_panel=BASELINE,
    ),
]
Build = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND",
        help="Builds the Storybook; needed only if another renderer captured the baseline.",
        rich_help_panel=BASELINE,
    ),
]
Expect = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Stories that may change, such as 'Button*', or none; repeatable. Other changes come "
        "first, and decide the exit code.",
        rich_help_panel=RESULT,
    ),
]
ExpectOnly = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Theme or device in which stories may change, such as dark; repeatable.",
        rich_help_panel=RESULT,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for the report. Default: in the cache.",
        rich_help_panel=RESULT,
    ),
]
Open = Annotated[
    bool, typer.Option("--open", help="Open the report in the browser.", rich_help_panel=RESULT)
]


@dataclass(frozen=True, kw_only=True)
class CheckChoices(CaptureChoices):
    """The options of the command."""

    key: Key = ""
    repository: Repository = None
    base_branch: BaseBranch = None
    build: Build = None
    expect: Expect = None
    expect_only: ExpectOnly = None
    output: Output = None
    open_report: Open = False

    def make_request(
        self, server: str, configured: CheckConfiguration, report: Path
    ) -> CheckRequest:
        """Raises InputError, CiError and CaptureError."""
        chosen = {each.name: getattr(self, each.name) for each in fields(CaptureChoices)}
        capture = PublishChoices(**chosen, commit=NOT_COMMITTED).make_request()
        facts = capture.facts
        base = self.base_branch or facts.base_branch or configured.base_branch
        base = base or find_base_branch(Path.cwd())
        # A base equal to the branch means a comparison with the branch's own baseline.
        facts = replace(facts, base_branch="" if base == facts.branch else base)
        return CheckRequest(
            replace(capture, facts=facts),
            server,
            self.repository or configured.repository or find_repository(Path.cwd()),
            report,
            build_command=self.build or configured.build,
            threads=usable_cores(),
            expectation=parse_expectation(self.expect or (), self.expect_only or ()),
        )


@contextmanager
def reserve_report(cache: Cache, checked: Path) -> Iterator[Path]:
    """Yield a folder for the report of the checked files, not in use by any other process."""
    name = hashlib.sha256(str(checked.resolve()).encode()).hexdigest()[:16]
    reports = cache.make_folder(REPORTS)
    for number in count(1):
        lock = FileLock(reports / f"{name}-{number}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            continue
        try:
            yield reports / f"{name}-{number}"
        finally:
            lock.release()
        return


def _check_chosen(choices: CheckChoices) -> None:
    """Compare a built Storybook, or a folder of images, with the approved baseline.

    Sends nothing. Exits with 0: nothing changed (or only what was expected), 1: something changed,
    2: it did not work.
    """
    as_json = choices.as_json
    with report_errors("check", as_json=as_json):
        try:
            result = _run(choices)
        except OutputError as error:
            raise InputError(f"The report was not written: {error}") from error
        if as_json:
            print_json(make_check_document(result))
        else:
            print_check(result, make_console())
        if choices.open_report:
            webbrowser.open((result.report / PAGE).resolve().as_uri())
    raise typer.Exit(CHANGED if result.outside else NOTHING_CHANGED)


check_command = make_command(CheckChoices, _check_chosen)


def _run(choices: CheckChoices) -> CheckResult:
    configured = load_configuration(choices.folder, choices.config).check
    server = _find_server(choices, configured)
    cache = open_cache(os.environ)
    log = make_console(stderr=True)
    reporter = make_reporter(log)
    credential = _find_credential(choices, server)
    on_retry = make_retry_reporter(reporter)
    chosen = choices.output
    reserved = nullcontext(chosen) if chosen else reserve_report(cache, choices.folder)
    try:
        with (
            interrupt_on_sigterm(),
            reserved as report,
            BaselineService(
                server, credential, RetryPolicy(ATTEMPTS), on_retry=on_retry
            ) as service,
        ):
            request = choices.make_request(server, configured, report)
            return check(request, service, cache, reporter)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    finally:
        reporter.end()


def _find_server(choices: CheckChoices, configured: CheckConfiguration) -> str:
    server = choices.url.strip() or configured.server
    if not server:
        raise InputError(
            f"The server's URL is missing: set {options.URL_VARIABLE}, pass --url, or set server in "
            "[check] of visual-review.toml."
        )
    return validate_base_url(server)


def _find_credential(choices: CheckChoices, server: str) -> str | Credential:
    key = choices.key.strip()
    if not key:
        signed_in = StoredSignIn(server, open_token_file(os.environ))
        if not signed_in.exists():
            raise InputError(
                f"You are not signed in to {server}. Run `visual-review login`, or set "
                f"{KEY_VARIABLE} to a personal API key."
            )
        return signed_in
    # A file of the repository must not decide where a key goes: authors of any branch can write the
    # file.
    if not choices.url.strip():
        raise InputError(
            f"{KEY_VARIABLE} is sent only to a server that you name yourself: set "
            f"{options.URL_VARIABLE} or pass --url. A sign-in with `visual-review login` is for one "
            "server, which visual-review.toml may name."
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(f"The value of {KEY_VARIABLE} is not a key. Is it truncated or quoted?")
    return key
