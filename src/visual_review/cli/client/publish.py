"""``visual-review publish``: captures, uploads, waits, and tells what is to be reviewed."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture import theme_values
from visual_review.cli.client.console import console, say
from visual_review.cli.client.publish_summary import (
    document,
    print_summary,
    write_step_summary,
)
from visual_review.cli.client.uploading import (
    FAILED,
    INTERRUPTED,
    checked_url,
    credential_for,
    ended_like_ctrl_c,
    handled_failures,
    reporter_on,
    reporting_retries,
)
from visual_review.client.capture import CaptureSettings
from visual_review.client.ci import Checkout, CiFacts, Overrides, parse_shard, read_facts
from visual_review.client.publishing import (
    InputError,
    Outcome,
    Request,
    Scope,
    Service,
    Verdict,
    publish,
)

NOTHING_TO_REVIEW: Final = 0
REVIEW_NEEDED: Final = 1

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
    with handled_failures("publish", as_json=as_json):
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
        outcome = _run(request, checked_url(url), token, console(stderr=as_json))
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
    credential = credential_for(token, url)
    reporter = reporter_on(log)
    facts = request.facts
    reporter.note(_introduction(facts))

    try:
        with (
            ended_like_ctrl_c(),
            Service(url, credential, on_retry=reporting_retries(reporter)) as service,
        ):
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
