"""``visual-review publish``: captures, uploads, waits, and prints the changes to review."""

import html
import inspect
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import typer
from rich.console import Console

from visual_review.cli.client.capture_log import print_profile
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.image_names import explain_names
from visual_review.cli.client.output import print_json
from visual_review.cli.client.publish_choices import PublishChoices
from visual_review.cli.client.publish_summary import (
    SHOWN_STORIES,
    StoryLine,
    format_counts,
    format_headline,
    group_by_story,
    list_groups,
    list_omissions,
    make_json_document,
    print_summary,
)
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.cli.client.uploading import (
    FAILED,
    find_credential,
    make_reporter,
    make_retry_reporter,
    report_errors,
    require_url,
)
from visual_review.client.capture import StorySources
from visual_review.client.ci import CiFacts
from visual_review.client.publishing import (
    InputError,
    Outcome,
    Request,
    Service,
    StoryExplanation,
    Verdict,
    explain_story,
    publish,
)
from visual_review.client.publishing.publish import SHOWN_NOTES
from visual_review.client.publishing.responses import Progress
from visual_review.client.terminal import printable
from visual_review.kernel.tracing import traced_command

Options = TypeVar("Options")
STEP_SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"
LONGEST_NAME: Final = 200
LONGEST_NOTE: Final = 1000
SHOWN_FILES: Final = 20
KINDS: Final = {
    "preview": "modules of the preview",
    "code": "built code that all stories load",
    "static": "static files of the Storybook",
}
LIMIT: Final = (
    "The server keeps one hash for each story, so it is known what kind of file changed, "
    "but not which one. To find it, compare the output of --explain with --json on both commits."
)


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


def write_step_summary(outcome: Outcome, environment: Mapping[str, str]) -> None:
    """Append to the job summary of GitHub Actions, if there is one."""
    target = environment.get(STEP_SUMMARY_VARIABLE)
    if target and outcome.progress is not None:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(format_job_summary(outcome, outcome.progress))


def format_job_summary(outcome: Outcome, progress: Progress) -> str:
    """Return one block of HTML, as GitHub looks for no Markdown in HTML.

    A blank line would end the block. Names are code, as GitHub also looks for no mentions, links
    and references in code.
    """
    lines = [f"<h3>Visual Review: {_text(format_headline(outcome))}</h3>"]
    if not progress.unfinished:
        lines.append(f"<p>{_text(format_counts(progress))}</p>")
    stories = group_by_story(progress.to_review)
    if stories:
        lines += _format_table(stories[:SHOWN_STORIES])
    groups = list_groups(progress)
    if groups:
        items = "".join(f"<li>{_code(group.strip())}</li>" for group in groups[1:])
        lines.append(f"<p>{_text(groups[0])}</p><ul>{items}</ul>")
    lines += [f"<p>{_text(note)}</p>" for note in list_omissions(progress, stories)]
    if found := outcome.contents.notes:
        items = "".join(f"<li>{_code(note, LONGEST_NOTE)}</li>" for note in found[:SHOWN_NOTES])
        lines.append(f"<p>Notes of the capture</p><ul>{items}</ul>")
    lines.append(f"<p>{_link(progress.url)}</p>")
    # The step may have written before, with or without a line break at the end.
    return "\n".join(["", "", *lines, "", ""])


def _format_table(stories: list[StoryLine]) -> list[str]:
    rows = [
        f"<tr><td>{_text(line.diff_state)}</td><td>{_code(line.title)}"
        f"{f'<br>{_code(line.summary)}' if line.summary else ''}</td><td>{_code(', '.join(line.variants))}</td></tr>"
        for line in stories
    ]
    return [
        "<table>",
        "<tr><th>state</th><th>story</th><th>variants</th></tr>",
        *rows,
        "</table>",
    ]


def _text(text: str) -> str:
    return html.escape(printable(text))


def _code(text: str, longest: int = LONGEST_NAME) -> str:
    shown = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return f"<code>{_text(shown)}</code>"


def _link(url: str) -> str:
    """Return a link to the build; any URL other than a web page is shown as text."""
    if urlsplit(url).scheme not in {"http", "https"}:
        return _code(url)
    return f'<a href="{_text(url)}">Open the build</a>'


def report_explanation(explanation: StoryExplanation, *, as_json: bool) -> None:
    if as_json:
        print_json(make_explanation_document(explanation))
        return
    console = make_console()
    for line in format_explanation(explanation):
        print_line(console, line)


def make_explanation_document(explanation: StoryExplanation) -> dict[str, Any]:
    """Return the document of ``--explain --json``, with the hash of every file."""
    sources = explanation.sources
    return {
        "storyId": explanation.story.id,
        "captured": explanation.captured,
        "reasons": list(explanation.reasons),
        "partialReasons": list(explanation.partial_reasons),
        "sourceHash": explanation.fingerprint.source,
        "rendererHash": explanation.fingerprint.renderer,
        "baselineHash": explanation.baseline_fingerprint.source,
        "baselineRendererHash": explanation.baseline_fingerprint.renderer,
        "files": None if sources is None else _sort(sources.own),
        "builtFiles": None if sources is None else _sort(sources.built),
        "sharedFiles": None
        if sources is None
        else {kind: _sort(files) for kind, files in sources.shared.items()},
    }


def _sort(files: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(files.items()))


def format_explanation(explanation: StoryExplanation) -> Iterator[str]:
    story = explanation.story
    state = "would be captured" if explanation.captured else "would not be captured"
    yield f"{story.id} ({story.title}/{story.name}) {state}: {'; '.join(explanation.reasons)}."
    if list(explanation.partial_reasons) != list(explanation.reasons):
        yield f"With --partial: {'; '.join(explanation.partial_reasons)}."
    if explanation.sources is not None:
        yield from _format_files(explanation, explanation.sources)
        if explanation.baseline_fingerprint.source not in ("", explanation.fingerprint.source):
            yield LIMIT
    yield from _format_hashes(explanation)


def _format_hashes(explanation: StoryExplanation) -> Iterator[str]:
    before, now = explanation.baseline_fingerprint, explanation.fingerprint
    for name, old, new in zip(("Source", "Renderer"), before, now, strict=True):
        known = "the baseline's is unknown" if not old else f"the baseline has {old}"
        yield f"{name} hash: {new or 'unknown'}; {'equal' if old == new != '' else known}."


def _format_files(explanation: StoryExplanation, sources: StorySources) -> Iterator[str]:
    own = sources.own
    yield f"Its source hash covers {_count(len(own))} of its own:"
    recent = [name for name in explanation.recent if name in own]
    names = [*recent, *sorted(own.keys() - set(recent))]
    for name in names[:SHOWN_FILES]:
        change = explanation.recent.get(name)
        yield f"  {name}  ({change})" if change else f"  {name}"
    if len(names) > SHOWN_FILES:
        yield f"  and {len(names) - SHOWN_FILES} more"
    yield f"the built code that it loads: {_count(len(sources.built))}"
    for kind in sorted(sources.removed):
        yield f"  (without {kind}, which changes with every build)"
    yield "and those of every story:"
    for kind, files in sources.shared.items():
        yield f"  {KINDS[kind]}: {_count(len(files))}{_last_change(explanation, files)}"


def _last_change(explanation: StoryExplanation, files: Mapping[str, str]) -> str:
    latest = next((name for name in explanation.recent if name in files), None)
    return f"; last changed: {latest} ({explanation.recent[latest]})" if latest else ""


def _count(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"
