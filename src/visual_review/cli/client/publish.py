"""``visual-review publish``: captures, uploads, waits, and tells what is to be reviewed."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture import ChoiceError, theme_values
from visual_review.cli.client.consoles import console
from visual_review.cli.client.publish_options import TOKEN_VARIABLE, URL_VARIABLE
from visual_review.cli.client.publish_reporters import BarReporter, LineReporter
from visual_review.cli.client.publish_summary import (
    document,
    print_summary,
    say,
    write_step_summary,
)
from visual_review.client.capture import CaptureError, CaptureSettings
from visual_review.client.ci import Checkout, CiError, CiFacts, Overrides, parse_shard, read_facts
from visual_review.client.publishing import (
    InputError,
    Outcome,
    PublishError,
    Reporter,
    Request,
    Scope,
    Service,
    Verdict,
    publish,
)

NOTHING_TO_REVIEW: Final = 0
REVIEW_NEEDED: Final = 1
FAILED: Final = 2
# What shells report for a program ended by Ctrl-C: 128 and the number of the signal.
INTERRUPTED: Final = 130

EXIT_CODES: Final[dict[Verdict, int]] = {
    "nothing_to_review": NOTHING_TO_REVIEW,
    # Without the verdict there is nothing to complain of; the last shard tells it.
    "published": NOTHING_TO_REVIEW,
    "dry_run": NOTHING_TO_REVIEW,
    "review_needed": REVIEW_NEEDED,
    "failed": FAILED,
}


def publish_command(  # noqa: PLR0913 - Each is an option of the command.
    folder: options.Folder = Path("storybook-static"),
    *,
    url: options.Url = "",
    token: options.Token = "",
    product: options.Product = "default",
    branch: options.Branch = None,
    commit: options.Commit = None,
    pull_request: options.PullRequest = None,
    base_branch: options.BaseBranch = None,
    head_repository: options.HeadRepository = None,
    message: options.Message = None,
    nonce: options.Nonce = None,
    shard: options.Shard = None,
    partial: options.Partial = False,
    skip: options.Skip = False,
    project_root: options.ProjectRoot = None,
    workers: options.Workers = None,
    allow_host: options.AllowHost = None,
    theme_global: options.ThemeGlobal = "theme",
    theme_value: options.ThemeValue = None,
    chromium: options.Browser = None,
    wait: options.Wait = True,
    timeout: options.Timeout = 1800,
    as_json: options.Json = False,
    exit_zero_on_changes: options.ExitZero = False,
    dry_run: options.DryRun = False,
) -> None:
    """Publish a built Storybook or a folder of PNG files as a build.

    Exits with 0 if nothing is to be reviewed, 1 if review is needed (failed stories included),
    2 if publishing or the comparison failed.
    """
    with _failures_told(as_json=as_json):
        flags = Overrides(
            branch, commit, pull_request, base_branch, head_repository, message, nonce, _part(shard)
        )
        request = Request(
            folder=folder,
            facts=read_facts(os.environ, Checkout(Path.cwd()), flags),
            product_key=product,
            scope=_scope(partial=partial, skip=skip),
            wait_seconds=timeout if wait else None,
            dry_run=dry_run,
            project_root=project_root,
            capture=_settings(chromium, allow_host, theme_global, theme_value, workers),
        )
        outcome = _run(request, checked_url(url), checked_token(token), console(stderr=as_json))
        _tell(outcome, as_json=as_json)
    raise typer.Exit(exit_code(outcome.verdict, exit_zero_on_changes=exit_zero_on_changes))


def _part(shard: str | None) -> tuple[int, int] | None:
    return None if shard is None else parse_shard(shard)


def _settings(
    chromium: Path | None,
    allow_host: list[str] | None,
    theme_global: str,
    theme_value: list[str] | None,
    workers: int | None,
) -> CaptureSettings:
    settings = CaptureSettings(
        chromium=chromium,
        allow_hosts=tuple(allow_host or ()),
        theme_global=theme_global,
        theme_values=theme_values(theme_value or []),
    )
    return replace(settings, workers=workers) if workers else settings


def exit_code(verdict: Verdict, *, exit_zero_on_changes: bool) -> int:
    if verdict == "review_needed" and exit_zero_on_changes:
        return NOTHING_TO_REVIEW
    return EXIT_CODES[verdict]


def _run(request: Request, url: str, token: str, log: Console) -> Outcome:
    reporter: Reporter = BarReporter(log) if log.is_terminal else LineReporter(log)
    facts = request.facts
    reporter.note(_introduction(facts))

    def on_retry(reason: str, seconds: float) -> None:
        reporter.note(f"The server did not answer ({reason}); trying again in {seconds:.1f} s.")

    try:
        with _ended_like_ctrl_c(), Service(url, token, on_retry=on_retry) as service:
            return publish(request, service, reporter)
    except KeyboardInterrupt:
        reporter.end()
        say(log, f"Interrupted. Run again with --nonce {facts.nonce} to continue the same build.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        reporter.end()


def _introduction(facts: CiFacts) -> str:
    words = [f"Publishing {facts.branch} at {facts.commit[:12]}"]
    if facts.pull_request:
        words.append(f"as pull request #{facts.pull_request}")
        words.append(f"into {facts.base_branch}" if facts.base_branch else "")
    if facts.head_repository:
        words.append(f"from the fork {facts.head_repository}")
    if facts.shards > 1:
        words.append(f"(shard {facts.shard} of {facts.shards})")
    return " ".join(filter(None, [*words, f"[{facts.provider}]"]))


def _scope(*, partial: bool, skip: bool) -> Scope:
    if partial and skip:
        raise InputError("--partial and --skip exclude each other: --skip captures nothing at all.")
    if skip:
        return "skip"
    return "partial" if partial else "full"


def checked_url(url: str) -> str:
    if not url.strip():
        raise InputError(f"The server's address is not known: set {URL_VARIABLE} or give --url.")
    return url


def checked_token(token: str) -> str:
    """A token as it can stand in a header; nothing of it is ever shown."""
    token = token.strip()
    if not token:
        raise InputError(
            f"There is no project token: set {TOKEN_VARIABLE} or give --token. "
            "Many CI systems keep secrets from pull requests of forks."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"The value of {TOKEN_VARIABLE} is no project token. Was it cut or quoted?"
        )
    return token


def _tell(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(document(outcome), indent=2))
    else:
        print_summary(outcome, console(stderr=False))
    try:
        write_step_summary(outcome, os.environ)
    except OSError as error:
        # The verdict stands whether or not CI lets its page be written.
        say(console(stderr=True), f"The job summary could not be written: {error}")


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Clean up when CI cancels a job, which most providers do with SIGTERM."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _failures_told(*, as_json: bool) -> Iterator[None]:
    """Turn what can be expected to go wrong into words and the exit code 2."""
    try:
        yield
    except (CaptureError, ChoiceError, CiError, PublishError, OSError) as error:
        log = console(stderr=True)
        for line in f"visual-review publish: {error}".splitlines():
            say(log, line)
        if as_json:
            typer.echo(json.dumps({"verdict": "failed", "error": str(error)}, indent=2))
        raise typer.Exit(FAILED) from error
