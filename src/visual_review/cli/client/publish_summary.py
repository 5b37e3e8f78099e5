"""Reports the outcome of a publish, for people and as JSON."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.client.console import format_duration, print_line
from visual_review.client.capture.notes import count_kinds, count_refused_hosts
from visual_review.client.publishing import Outcome, Verdict
from visual_review.client.publishing.responses import Progress, ReviewItem
from visual_review.client.terminal import printable

APPROVED: Final = "approved"
UNREVIEWED: Final = "unreviewed"
STATES: Final = ("failed", "changed", "new", "removed", "unchanged")
STYLES: Final[dict[str, str]] = {
    "failed": "bold red",
    "changed": "yellow",
    "new": "green",
    "removed": "magenta",
}
# The server's rule where neither the branch nor the default branch has a baseline.
NO_BASELINE: Final = "none"
FIRST_BUILD: Final = (
    "There was nothing to compare with yet, so every screenshot is new. Open the link, look at the "
    'screenshots and choose "Approve build": later builds are compared with the approved '
    "screenshots. To let this job pass until then, use --exit-zero-on-changes."
)
SHOWN_STORIES: Final = 50
LONGEST_MESSAGE: Final = 200
SHOWN_GROUPS: Final = 10
LONGEST_NAME: Final = 200

VERDICT_TEXTS: Final[dict[Verdict, str]] = {
    "nothing_to_review": "nothing to review",
    "review_needed": "review needed",
    "failed": "failed",
    "published": "published",
    "dry_run": "dry run, nothing was uploaded",
}


@dataclass(frozen=True, slots=True)
class StoryLine:
    """The screenshots of one story in one state; ``summary`` is the worst one's."""

    diff_state: str
    title: str
    variants: tuple[str, ...]
    largest_ratio: float | None
    message: str
    summary: str = ""


def group_by_story(items: Iterable[ReviewItem]) -> list[StoryLine]:
    """Return one line for each story and state without an approval so far.

    Failed ones come first, then changed, new and removed ones, each sorted by title.
    """
    groups: dict[tuple[str, str], list[ReviewItem]] = {}
    for item in items:
        # Carried-over approvals are only counted; a list of approvals would hide changes to review.
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
            summary=next((item.summary for item in group if item.summary), ""),
        )
        for (state, _), group in groups.items()
    ]
    order = {state: index for index, state in enumerate(STATES)}
    return sorted(lines, key=lambda line: (order.get(line.diff_state, len(order)), line.title))


def format_headline(outcome: Outcome) -> str:
    progress = outcome.progress
    if progress is None:
        return f"Dry run: {len(outcome.contents.entries)} screenshots, nothing was uploaded"
    if outcome.verdict == "published" and progress.shards_finished < progress.shards_total:
        return (
            f"Build #{progress.number}: {progress.shards_finished} of {progress.shards_total} "
            "shards have finished; the last one reports the verdict"
        )
    text = VERDICT_TEXTS[outcome.verdict]
    if outcome.verdict == "nothing_to_review" and progress.decision_source == "carried_over":
        text = "nothing to review, every change was approved before"
    if progress.review_state == "rejected":
        text = "rejected"
    return f"Build #{progress.number}: {text}"


def format_counts(progress: Progress) -> str:
    """Return the numbers by state, and how many unchanged ones were not captured."""
    counts = ", ".join(f"{progress.counts.get(state, 0)} {state}" for state in STATES)
    inherited = progress.counts.get("inherited", 0)
    return f"{counts} ({inherited} of them not captured, taken over)" if inherited else counts


def print_summary(outcome: Outcome, console: Console, seconds: float) -> None:
    print_line(console, f"{format_headline(outcome)} (took {format_duration(seconds)})")
    progress = outcome.progress
    if progress is None:
        return
    if not progress.unfinished:
        print_line(console, format_counts(progress))
    if threads := progress.open_threads:
        print_line(console, f"{threads} thread{'s' if threads > 1 else ''} of comments open.")
    if progress.failure:
        print_line(console, f"The server could not process the build: {progress.failure}")
    if outcome.verdict == "review_needed":
        _print_stories(outcome, progress, console)
    print_line(
        console, f"{'Review' if outcome.verdict == 'review_needed' else 'Build'}: {progress.url}"
    )
    if hint := explain_first_build(outcome):
        print_line(console, hint)


def explain_first_build(outcome: Outcome) -> str:
    """Return what to do after a build without a baseline; empty for other builds."""
    undecided = outcome.progress is not None and outcome.progress.review_state == UNREVIEWED
    if outcome.verdict != "review_needed" or not undecided:
        return ""
    return FIRST_BUILD if outcome.plan.baseline_rule == NO_BASELINE else ""


def _print_stories(outcome: Outcome, progress: Progress, console: Console) -> None:
    lines = group_by_story(progress.to_review)
    if lines:
        matrix = len(outcome.contents.themes) * len(outcome.contents.devices)
        console.print(_table(lines, matrix))
    for line in list_groups(progress):
        print_line(console, line)
    for note in list_omissions(progress, lines):
        print_line(console, note)


def list_groups(progress: Progress) -> list[str]:
    """Return lines about screenshots with equal changes; none if each changed on its own."""
    others = [group for group in progress.groups if group.not_from_branch]
    several = [
        group
        for group in progress.groups
        if group.screenshot_count > 1 and not group.not_from_branch
    ]
    if not several and not others:
        return []
    changed = progress.counts.get("changed", 0)
    groups = f"{progress.group_count} group{'' if progress.group_count == 1 else 's'}"
    lines = [f"{changed} changed screenshots in {groups}:"]
    for group in several[:SHOWN_GROUPS]:
        more = f"; {group.remainder_count} with more changes" if group.remainder_count else ""
        lines.append(f"  {group.screenshot_count} alike: {_shorten(group.name)}{more}")
    if len(several) > SHOWN_GROUPS:
        lines.append("  and more; the build's page shows all groups")
    return lines + [f"  {each.screenshot_count} {_shorten(each.name)}" for each in others]


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def list_omissions(progress: Progress, lines: list[StoryLine]) -> list[str]:
    """Return notes about stories missing in the list."""
    notes = []
    approved = sum(1 for item in progress.to_review if item.review_decision == APPROVED)
    if approved:
        notes.append(
            f"{approved} screenshots are already approved: the same change was approved before."
        )
    listed = len(progress.to_review)
    differing = sum(progress.counts.get(state, 0) for state in STATES if state != "unchanged")
    if len(lines) > SHOWN_STORIES or differing > listed:
        notes.append("This list is incomplete; the build's page shows all screenshots.")
    return notes


def make_json_document(outcome: Outcome) -> dict[str, Any]:
    """Return the document of ``--json``; ``build`` is the response of the CI interface."""
    contents = outcome.contents
    return {
        "verdict": outcome.verdict,
        "screenshots": len(contents.entries),
        "failedCaptures": contents.failed,
        "noteCounts": count_kinds(note.kind for each in contents.entries for note in each.notes),
        "refusedHosts": count_refused_hosts(
            (each.story_id, each.notes) for each in contents.entries
        ),
        "partial": contents.story_ids is not None,
        "matrix": {"themes": contents.themes, "devices": contents.devices},
        "baselineRule": outcome.plan.baseline_rule,
        "build": None if outcome.progress is None else dict(outcome.progress.document),
    }


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
        for text in filter(None, (line.summary, line.message)):
            title.append(f"\n{printable(text[:LONGEST_MESSAGE])}", style="dim")
        state = Text(printable(line.diff_state), style=STYLES.get(line.diff_state, ""))
        # Six names on each line would hide the stories changed in only one variant.
        everywhere = len(line.variants) == matrix > 1
        variants = f"all {matrix}" if everywhere else ", ".join(line.variants)
        table.add_row(state, title, Text(printable(variants)), ratio)
    return table
