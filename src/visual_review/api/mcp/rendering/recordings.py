"""The texts about recordings: lists, one in full, and whether a repository keeps any."""

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
from visual_review.api.mcp.quoting import address, named, quoted
from visual_review.api.mcp.rendering.token_budget import filled
from visual_review.recordings.states import READY

# Room for as many as are listed when nobody says how many.
ROOM: Final = 3800
STEPS_ROOM: Final = 1800
# In bytes: what a test reported is what a model looks a recording up for.
ERROR_SHOWN: Final = 2000
SHOWN_COMMIT: Final = 8
FAILED: Final = frozenset({"failed", "timed_out", "interrupted"})
EMPTY: Final = (
    "There are no recordings. CI uploads them with 'visual-review recordings' once "
    "enable_recordings was called for the repository."
)


def text_of_recordings(result: list_recordings.Result, _caller: Caller) -> str:
    rows = result.recordings
    if not rows:
        return EMPTY
    failed = sum(row.outcome in FAILED for row in rows)
    return "\n".join(
        [
            f"Recordings, newest first: {len(rows):,}, of which {failed:,} show a failed test.",
            *filled(rows, _line, ROOM, "older recordings"),
            "get_recording shows one with its error, steps and video.",
            f"Page of a recording: {settings.PUBLIC_URL}/recordings/{{id}}",
        ]
    )


def _line(row: RecordingResult) -> str:
    return f"- {row.id} {named(row.title)}: {', '.join(_facts(row))}"


def _facts(row: RecordingResult) -> Iterator[str]:
    yield (row.outcome or "no outcome").replace("_", " ")
    if row.retry:
        yield f"retry {row.retry}"
    if row.project:
        yield named(row.project)
    if row.product_key != "default":
        yield f"product {named(row.product_key)}"
    if row.status != READY:
        yield f"video {row.status}"
    elif row.duration_ms is not None:
        yield _seconds(row.duration_ms)
    if row.branch:
        yield _origin(row)
    # To the minute: fractions of seconds would be a quarter of the line.
    yield f"{row.created_at[:16]}Z"


def _origin(row: RecordingResult) -> str:
    commit = f" at {named(row.commit[:SHOWN_COMMIT])}" if row.commit else ""
    pull = f" (pull request {row.pull_request})" if row.pull_request else ""
    return f"{named(row.branch or '')}{commit}{pull}"


def text_of_recording(result: get_recording.Result, _caller: Caller) -> str:
    row = result.recording
    lines = [f"Recording {row.id}, {named(row.title)}: {', '.join(_facts(row))}."]
    if row.test is not None:
        place = [row.test.file, row.test.suite, row.test.title]
        lines.append(f"Test: {', '.join(named(part) for part in place if part)}.")
    if row.error:
        lines.append(f"Error: {quoted(row.error, ERROR_SHOWN)}")
    if row.failure:
        lines.append(f"The video cannot be watched: {quoted(row.failure, ERROR_SHOWN)}")
    if url := row.video_url or row.original_url:
        lines.append(f"{'Video' if row.video_url else 'Original'}, for an hour: {address(url)}")
    if row.attachments:
        lines.append(
            f"Attachments: {', '.join(named(each.name) for each in row.attachments[:20])}."
        )
    lines += _steps(row.steps)
    return "\n".join([*lines, f"Page: {row.url}"])


def _steps(steps: list[StepResult]) -> list[str]:
    if not steps:
        return []
    # The last ones tell where a test ended, so it is earlier ones that are left out.
    shown = list(filled(steps[::-1], _step, STEPS_ROOM, "earlier steps"))
    return [f"Steps: {len(steps):,}, with their time in the video.", *reversed(shown)]


def _step(step: StepResult) -> str:
    story = f", story {named(step.story_id)}" if step.story_id else ""
    return f"- {_seconds(step.start_ms)} {named(step.title)}{story}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s"


def text_of_enrollment(
    result: enable_recordings.Result | disable_recordings.Result, _caller: Caller
) -> str:
    row = result.enrollment
    page = f"Page: {settings.PUBLIC_URL}/repositories/{row.repo_id}/recordings"
    if row.enabled:
        return (
            f"Recordings of {row.repo_id} are enabled since {row.enabled_at}, for "
            f"{row.price_per_month} a month. CI uploads them with 'visual-review recordings'.\n"
            f"{page}"
        )
    since = f" since {row.disabled_at}" if row.disabled_at else ""
    return (
        f"Recordings of {row.repo_id} are disabled{since}: uploads are refused and nothing is "
        f"charged. What was recorded stays.\n{page}"
    )


def text_of_deletion(result: delete_recording.Result, _caller: Caller) -> str:
    return f"{named(result.title)} ({result.recording_id}) was deleted with its video."
