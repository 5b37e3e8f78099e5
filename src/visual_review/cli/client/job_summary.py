"""Writes the outcome of a publish to the job summary of GitHub Actions."""

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from visual_review.cli.client.publish_summary import (
    SHOWN_STORIES,
    StoryLine,
    format_counts,
    format_headline,
    group_by_story,
    list_groups,
    list_omissions,
)
from visual_review.client.publishing import Outcome
from visual_review.client.publishing.publish import SHOWN_NOTES
from visual_review.client.publishing.responses import Progress
from visual_review.client.terminal import printable

STEP_SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"
LONGEST_NAME: Final = 200
LONGEST_NOTE: Final = 1000


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
