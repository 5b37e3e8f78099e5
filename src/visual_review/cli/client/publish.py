"""``visual-review publish``: captures, uploads, waits, and prints the changes to review."""

import inspect
import os
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import typer
from rich.console import Console

from visual_review.cli.client.capture_log import print_profile
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.image_names import explain_names
from visual_review.cli.client.job_summary import write_step_summary
from visual_review.cli.client.output import print_json
from visual_review.cli.client.publish_choices import PublishChoices
from visual_review.cli.client.publish_summary import make_json_document, print_summary
from visual_review.cli.client.story_explanation import report_explanation
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.cli.client.uploading import (
    FAILED,
    find_credential,
    make_reporter,
    make_retry_reporter,
    report_errors,
    require_url,
)
from visual_review.client.ci import CiFacts
from visual_review.client.publishing import (
    InputError,
    Outcome,
    Request,
    Service,
    Verdict,
    explain_story,
    publish,
)
from visual_review.kernel.tracing import traced_command

Options = TypeVar("Options")


def make_command(options: type[Options], run: Callable[[Options], None]) -> Callable[..., None]:
    """Return ``run`` as Typer takes a command: with a parameter for each field of ``options``."""

    def command(**values: Any) -> None:  # noqa: ANN401 - Typer passes what the fields say.
        run(options(**values))

    command.__doc__ = run.__doc__
    # Typer reads the options from the signature.
    vars(command)["__signature__"] = inspect.signature(options)
    return command


NOTHING_TO_REVIEW: Final = 0
REVIEW_NEEDED: Final = 1

EXIT_CODES: Final[dict[Verdict, int]] = {
    "nothing_to_review": NOTHING_TO_REVIEW,
    # The verdict is not known yet; the last shard reports the verdict.
    "published": NOTHING_TO_REVIEW,
    "dry_run": NOTHING_TO_REVIEW,
    "review_needed": REVIEW_NEEDED,
    "failed": FAILED,
}


def _publish_chosen(choices: PublishChoices) -> None:
    """Publish a built Storybook or a folder of images as a build.

    Exits with 0: nothing to review, 1: review needed or stories failed, 2: it did not work.
    """
    as_json = choices.as_json
    with report_errors("publish", as_json=as_json):
        if choices.explain:
            _explain(choices)
            raise typer.Exit
        if choices.story is not None:
            raise InputError(f"A story can only be explained: --explain {choices.story}.")
        request = choices.make_request()
        try:
            verdict = _run(request, require_url(choices.url), choices.token, as_json=as_json)
        finally:
            # The capture may have ended before something else failed.
            if choices.profile:
                print_profile(request.profile)
    raise typer.Exit(exit_code(verdict, exit_zero_on_changes=choices.exit_zero_on_changes))


def _explain(choices: PublishChoices) -> None:
    chosen = choices.for_story()
    if chosen is None or chosen.story is None:
        explain_names(choices)
        return
    request = chosen.make_request()
    url = require_url(choices.url)
    credential = find_credential(choices.token, url)
    reporter = make_reporter(make_console(stderr=True))
    with Service(url, credential, on_retry=make_retry_reporter(reporter)) as service:
        explanation = explain_story(request, service, chosen.story)
    report_explanation(explanation, as_json=choices.as_json)


publish_command = make_command(PublishChoices, _publish_chosen)


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
            traced_command("publish"),
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
