"""Tells what came of a publish: for people, for machines, for GitHub's job summary."""

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.client.console import say
from visual_review.client.publishing import Outcome, Verdict
from visual_review.client.publishing.responses import Progress, ReviewItem
from visual_review.client.terminal import printable

STEP_SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"
APPROVED: Final = "approved"
STATES: Final = ("failed", "changed", "new", "removed", "unchanged")
STYLES: Final[dict[str, str]] = {
    "failed": "bold red",
    "changed": "yellow",
    "new": "green",
    "removed": "magenta",
}
SHOWN_STORIES: Final = 50
LONGEST_MESSAGE: Final = 200

WORDS: Final[dict[Verdict, str]] = {
    "nothing_to_review": "nothing to review",
    "review_needed": "review needed",
    "failed": "failed",
    "published": "published",
    "dry_run": "dry run, nothing was sent",
}


@dataclass(frozen=True, slots=True)
class StoryLine:
    """The screenshots of one story in one state."""

    diff_state: str
    title: str
    variants: tuple[str, ...]
    largest_ratio: float | None
    message: str


def story_lines(items: Iterable[ReviewItem]) -> list[StoryLine]:
    """One line a story and state of what is not approved yet.

    Failed ones come first, then changed ones; the rest is in the order of the titles.
    """
    groups: dict[tuple[str, str], list[ReviewItem]] = {}
    for item in items:
        # What was approved before is counted below; a list of it would hide what waits.
        if item.review_decision != APPROVED:
            groups.setdefault((item.diff_state, item.story_id), []).append(item)
    lines = [
        StoryLine(
            diff_state=state,
            title=group[0].title,
            variants=tuple(item.variant for item in group),
            largest_ratio=max(
                (i.diff_ratio for i in group if i.diff_ratio is not None), default=None
            ),
            message=next((item.message for item in group if item.message), ""),
        )
        for (state, _), group in groups.items()
    ]
    order = {state: place for place, state in enumerate(STATES)}
    return sorted(lines, key=lambda line: (order.get(line.diff_state, len(order)), line.title))


def headline(outcome: Outcome) -> str:
    progress = outcome.progress
    if progress is None:
        return f"Dry run: {len(outcome.material.entries)} screenshots, nothing was sent"
    if outcome.verdict == "published" and progress.shards_finished < progress.shards_total:
        return (
            f"Build #{progress.number}: {progress.shards_finished} of {progress.shards_total} "
            "shards have finished; the last one tells the verdict"
        )
    words = WORDS[outcome.verdict]
    if outcome.verdict == "nothing_to_review" and progress.decision_source == "carried_over":
        words = "nothing to review, every change was approved before"
    if progress.review_state == "rejected":
        words = "rejected"
    return f"Build #{progress.number}: {words}"


def counts_line(progress: Progress) -> str:
    return ", ".join(f"{progress.counts.get(state, 0)} {state}" for state in STATES)


def print_summary(outcome: Outcome, console: Console) -> None:
    say(console, headline(outcome))
    progress = outcome.progress
    if progress is None:
        return
    if not progress.unfinished:
        say(console, counts_line(progress))
    if progress.failure:
        say(console, f"The server could not process the build: {progress.failure}")
    if outcome.verdict == "review_needed":
        _print_stories(outcome, progress, console)
    say(console, f"{'Review' if outcome.verdict == 'review_needed' else 'Build'}: {progress.url}")


def _print_stories(outcome: Outcome, progress: Progress, console: Console) -> None:
    lines = story_lines(progress.to_review)
    if lines:
        matrix = len(outcome.material.themes) * len(outcome.material.devices)
        console.print(_table(lines, matrix))
    for remark in remarks(progress, lines):
        say(console, remark)


def remarks(progress: Progress, lines: list[StoryLine]) -> list[str]:
    """What the list of stories leaves out."""
    found = []
    approved = sum(1 for item in progress.to_review if item.review_decision == APPROVED)
    if approved:
        found.append(f"{approved} screenshots start approved: the same change was approved before.")
    listed = len(progress.to_review)
    differing = sum(progress.counts.get(state, 0) for state in STATES if state != "unchanged")
    if len(lines) > SHOWN_STORIES or differing > listed:
        found.append("There is more than this list shows; the build's page shows all.")
    return found


def document(outcome: Outcome) -> dict[str, Any]:
    """What ``--json`` prints; ``build`` is the CI interface's own answer."""
    material = outcome.material
    return {
        "verdict": outcome.verdict,
        "screenshots": len(material.entries),
        "failedCaptures": material.failed,
        "partial": material.story_ids is not None,
        "matrix": {"themes": material.themes, "devices": material.devices},
        "baselineRule": outcome.plan.baseline_rule,
        "build": None if outcome.progress is None else dict(outcome.progress.document),
    }


def write_step_summary(outcome: Outcome, environment: Mapping[str, str]) -> None:
    """Append to the job summary of GitHub Actions, where there is one."""
    target = environment.get(STEP_SUMMARY_VARIABLE)
    if target and outcome.progress is not None:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(markdown(outcome, outcome.progress))


def markdown(outcome: Outcome, progress: Progress) -> str:
    lines = [f"### Visual Review: {headline(outcome)}", ""]
    if not progress.unfinished:
        lines += [counts_line(progress), ""]
    stories = story_lines(progress.to_review)
    if stories:
        lines += ["| state | story | variants |", "| --- | --- | --- |"]
        lines += [
            f"| {line.diff_state} | {_cell(line.title)} | {_cell(', '.join(line.variants))} |"
            for line in stories[:SHOWN_STORIES]
        ]
        lines += [""]
    return "\n".join([*lines, f"[Open the build]({progress.url})", "", ""])


def _cell(text: str) -> str:
    """Text of others as text: neither markup nor a new cell."""
    return html.escape(printable(text)).replace("|", "&#124;").replace("`", "&#96;")


def _table(lines: list[StoryLine], matrix: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("state")
    table.add_column("story", overflow="fold")
    table.add_column("variants", overflow="fold")
    table.add_column("largest difference", justify="right")
    for line in lines[:SHOWN_STORIES]:
        shows_ratio = line.diff_state == "changed" and line.largest_ratio is not None
        ratio = f"{line.largest_ratio:.3%}" if shows_ratio else ""
        title = Text(printable(line.title))
        if line.message:
            title.append(f"\n{printable(line.message[:LONGEST_MESSAGE])}", style="dim")
        state = Text(line.diff_state, style=STYLES.get(line.diff_state, ""))
        # Six names a line would hide the stories that changed in one variant alone.
        everywhere = len(line.variants) == matrix > 1
        variants = f"all {matrix}" if everywhere else ", ".join(line.variants)
        table.add_row(state, title, Text(variants), ratio)
    return table
