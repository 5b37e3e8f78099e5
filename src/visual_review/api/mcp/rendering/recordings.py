"""The texts about recordings: lists, one in full, and whether a repository has them enabled."""

from collections.abc import Iterator
from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.published import (
    delete_recording,
    disable_recordings,
    enable_recordings,
    get_recording,
    list_recordings,
)
from visual_review.actions.recording_results import RecordingResult, StepResult
from visual_review.api.mcp.quoting import quote_name, quote_text, quote_url
from visual_review.api.mcp.rendering.truncation import OLDER, limit_lines
from visual_review.recordings.states import READY

# Enough for a list of the default length.
BUDGET: Final = 3800
STEPS_BUDGET: Final = 1800
# In bytes: the test's error is why a model looks a recording up.
ERROR_SHOWN: Final = 2000
SHOWN_COMMIT: Final = 8
FAILED: Final = frozenset({"failed", "timed_out", "interrupted"})
EMPTY: Final = (
    "There are no recordings. CI uploads them with 'visual-review recordings' once "
    "enable_recordings has been called for the repository."
)


def render_recordings(result: list_recordings.Result, _caller: Caller) -> str:
    rows = result.recordings
    if not rows:
        return EMPTY
    failed = sum(row.outcome in FAILED for row in rows)
    return "\n".join(
        [
            f"Recordings, newest first: {len(rows):,}, of which {failed:,} show a failed test.",
            *limit_lines(rows, _line, BUDGET, "older recordings"),
            *([OLDER.format("recordings")] if result.more else []),
            "get_recording shows one with its error, steps and video.",
            f"Page of a recording: {settings.PUBLIC_URL}/recordings/{{id}}",
        ]
    )


def _line(row: RecordingResult) -> str:
    return f"- {row.id} {quote_name(row.title)}: {', '.join(_facts(row))}"


def _facts(row: RecordingResult) -> Iterator[str]:
    yield (row.outcome or "no outcome").replace("_", " ")
    if row.retry:
        yield f"retry {row.retry}"
    if row.project:
        yield quote_name(row.project)
    if row.product_key != "default":
        yield f"product {quote_name(row.product_key)}"
    if row.status != READY:
        yield f"video {row.status}"
    elif row.duration_ms is not None:
        yield _seconds(row.duration_ms)
    if row.branch:
        yield _origin(row)
    # To the minute: seconds and their fractions would be a quarter of the line.
    yield f"{row.created_at[:16]}Z"


def _origin(row: RecordingResult) -> str:
    commit = f" at {quote_name(row.commit[:SHOWN_COMMIT])}" if row.commit else ""
    pull = f" (pull request {row.pull_request})" if row.pull_request else ""
    return f"{quote_name(row.branch or '')}{commit}{pull}"


def render_recording(result: get_recording.Result, _caller: Caller) -> str:
    row = result.recording
    lines = [f"Recording {row.id}, {quote_name(row.title)}: {', '.join(_facts(row))}."]
    if row.test is not None:
        place = [row.test.file, row.test.suite, row.test.title]
        lines.append(f"Test: {', '.join(quote_name(part) for part in place if part)}.")
    if row.error:
        lines.append(f"Error: {quote_text(row.error, ERROR_SHOWN)}")
    if row.failure:
        lines.append(f"The video cannot be watched: {quote_text(row.failure, ERROR_SHOWN)}")
    if url := row.video_url or row.original_url:
        lines.append(f"{'Video' if row.video_url else 'Original'}, for an hour: {quote_url(url)}")
    if row.attachments:
        lines.append(
            f"Attachments: {', '.join(quote_name(each.name) for each in row.attachments[:20])}."
        )
    lines += _steps(row.steps)
    return "\n".join([*lines, f"Page: {row.url}"])


def _steps(steps: list[StepResult]) -> list[str]:
    if not steps:
        return []
    # The last ones show where a test ended, so earlier ones are left out.
    shown = list(limit_lines(steps[::-1], _step, STEPS_BUDGET, "earlier steps"))
    return [f"Steps: {len(steps):,}, with their time in the video.", *reversed(shown)]


def _step(step: StepResult) -> str:
    story = f", story {quote_name(step.story_id)}" if step.story_id else ""
    return f"- {_seconds(step.start_ms)} {quote_name(step.title)}{story}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s"


def render_enrollment(
    result: enable_recordings.Result | disable_recordings.Result, _caller: Caller
) -> str:
    row = result.enrollment
    page = f"Page: {settings.PUBLIC_URL}/repositories/{row.repo_id}/recordings"
    if row.enabled:
        return (
            f"Recordings of {row.repo_id} have been enabled since {row.enabled_at}, for "
            f"{row.price_per_month} a month. CI uploads them with 'visual-review recordings'.\n"
            f"{page}"
        )
    since = f" since {row.disabled_at}" if row.disabled_at else ""
    return (
        f"Recordings of {row.repo_id} are disabled{since}: uploads are rejected and nothing is "
        f"charged. Existing recordings stay.\n{page}"
    )


def render_deletion(result: delete_recording.Result, _caller: Caller) -> str:
    return f"{quote_name(result.title)} ({result.recording_id}) was deleted with its video."
