"""``visual-review publish``: captures, uploads, waits, and prints what needs review."""

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture_choices import parse_hosts, parse_theme_values
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.image_names import choose_naming
from visual_review.cli.client.job_summary import write_step_summary
from visual_review.cli.client.json_output import print_json
from visual_review.cli.client.publish_summary import make_json_document, print_summary
from visual_review.cli.client.uploading import (
    FAILED,
    INTERRUPTED,
    find_credential,
    interrupt_on_sigterm,
    make_reporter,
    make_retry_reporter,
    report_errors,
    require_url,
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
    # The verdict is not known yet; the last shard reports it.
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
    images_only: options.ImagesOnly = False,
    name_pattern: options.NamePattern = None,
    theme: options.FallbackTheme = None,
    device: options.FallbackDevice = None,
    explain: options.Explain = False,
    project_root: options.ProjectRoot = None,
    workers: options.Workers = None,
    allow_host: options.AllowHost = None,
    theme_global: options.ThemeGlobal = "theme",
    theme_value: options.ThemeValue = None,
    chromium: options.Browser = None,
    require_sandbox: options.RequireSandbox = False,
    wait: options.Wait = True,
    timeout: options.Timeout = 1800,
    as_json: options.Json = False,
    exit_zero_on_changes: options.ExitZero = False,
    dry_run: options.DryRun = False,
) -> None:
    """Publish a built Storybook or a folder of images as a build.

    Exits with 0: nothing to review, 1: review needed or stories failed, 2: it did not work.
    """
    with report_errors("publish", as_json=as_json):
        chosen = (name_pattern, theme, device)
        naming = choose_naming(folder, *chosen, explain=explain, as_json=as_json)
        named = (branch, commit, pull_request, base_branch, head_repository, message, nonce)
        facts = read_facts(os.environ, Checkout(Path.cwd()), Overrides(*named, _part(shard)))
        settings = _make_settings(chromium, allow_host, theme_global, theme_value, workers)
        capture = replace(settings, require_sandbox=require_sandbox)
        scope = _choose_scope(partial=partial, skip=skip)
        base = Request(folder, facts, product, scope, timeout if wait else None, dry_run, capture)
        request = replace(base, project_root=project_root, images_only=images_only, naming=naming)
        verdict = _run(request, require_url(url), token, as_json=as_json)
    raise typer.Exit(exit_code(verdict, exit_zero_on_changes=exit_zero_on_changes))


def _part(shard: str | None) -> tuple[int, int] | None:
    return None if shard is None else parse_shard(shard)


def _make_settings(
    chromium: Path | None,
    allow_host: list[str] | None,
    theme_global: str,
    theme_value: list[str] | None,
    workers: int | None,
) -> CaptureSettings:
    settings = CaptureSettings(
        chromium=chromium,
        allow_hosts=parse_hosts(allow_host or []),
        theme_global=theme_global,
        theme_values=parse_theme_values(theme_value or []),
    )
    return replace(settings, workers=workers) if workers else settings


def exit_code(verdict: Verdict, *, exit_zero_on_changes: bool) -> int:
    if verdict == "review_needed" and exit_zero_on_changes:
        return NOTHING_TO_REVIEW
    return EXIT_CODES[verdict]


def _run(request: Request, url: str, token: str, *, as_json: bool) -> Verdict:
    started = time.monotonic()
    outcome = _publish(request, url, token, make_console(stderr=as_json))
    _print_outcome(outcome, time.monotonic() - started, as_json=as_json)
    return outcome.verdict


def _publish(request: Request, url: str, token: str, log: Console) -> Outcome:
    credential = find_credential(token, url)
    reporter = make_reporter(log)
    facts = request.facts
    reporter.note(_describe_publish(facts))

    try:
        with (
            interrupt_on_sigterm(),
            Service(url, credential, on_retry=make_retry_reporter(reporter)) as service,
        ):
            return publish(request, service, reporter)
    except KeyboardInterrupt:
        reporter.end()
        print_line(
            log, f"Interrupted. Run again with --nonce {facts.nonce} to continue the same build."
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        reporter.end()


def _describe_publish(facts: CiFacts) -> str:
    parts = [f"Publishing {facts.branch} at {facts.commit[:12]}"]
    if facts.pull_request:
        parts.append(f"as pull request #{facts.pull_request}")
        parts.append(f"into {facts.base_branch}" if facts.base_branch else "")
    if facts.head_repository:
        parts.append(f"from the fork {facts.head_repository}")
    if facts.shards > 1:
        parts.append(f"(shard {facts.shard} of {facts.shards})")
    return " ".join(filter(None, [*parts, f"[{facts.provider}]"]))


def _choose_scope(*, partial: bool, skip: bool) -> Scope:
    if partial and skip:
        raise InputError("--partial and --skip cannot be combined: --skip captures nothing at all.")
    if skip:
        return "skip"
    return "partial" if partial else "full"


def _print_outcome(outcome: Outcome, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(make_json_document(outcome))
    else:
        print_summary(outcome, make_console(stderr=False), seconds)
    try:
        write_step_summary(outcome, os.environ)
    except OSError as error:
        # The verdict is valid even if the job summary cannot be written.
        print_line(make_console(stderr=True), f"The job summary could not be written: {error}")
