"""Earlier decisions of the review log: their authors, undone ones, and the newest comment."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pytest
from django.db import connection

from tests.support.case import Case
from tests.support.depth import rounds, seed
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import World
from visual_review.builds.earlier_decisions import (
    OWN_SOURCES,
    LoggedDecisions,
    decisions_before,
    logged_decisions,
)
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.states import DECISIONS

SOURCES = (*sorted(OWN_SOURCES), "carried_over", "retargeted")


class LogEntry(NamedTuple):
    """An entry: decision, source and comment."""

    decision: str
    source: str
    comment: str


Log = Mapping[str, Sequence[LogEntry]]
Summary = tuple[int, str | None, str | None]

REJECTED = LogEntry("rejected", "user", "Too red")
APPROVED = LogEntry("approved", "mcp", "")
PRAISED = LogEntry("approved", "user", "Fine")
CLEARED = LogEntry("cleared", "user", "")
UNDONE = LogEntry("undone", "user", "")
CARRIED_OVER = LogEntry("approved", "carried_over", "")
KEPT = LogEntry("rejected", "retargeted", "Too red")


@pytest.fixture
def build(personas: Personas) -> Build:
    return World(personas.alice).publish({"a": "red"})


def in_turns(log: Log) -> Iterator[tuple[str, LogEntry]]:
    """Yield the first entry of each story, then the second of each, and so on."""
    for place in range(max(map(len, log.values()))):
        yield from ((story, each[place]) for story, each in log.items() if place < len(each))


def write(build: Build, log: Log, *, replaced: bool = False) -> dict[str, str]:
    """Store a screenshot and log entries for each story; return the stories' screenshots.

    With ``replaced``, the log refers to none of the screenshots.
    """
    shots = Screenshot.objects.bulk_create(
        Screenshot(build=build, story_id=story, theme="dark", device="phone") for story in log
    )
    ids = {shot.story_id: shot.id for shot in shots}
    ReviewEntry.objects.bulk_create(
        ReviewEntry(
            build=build,
            screenshot_id=None if replaced else ids[story],
            story_id=story,
            theme="dark",
            device="phone",
            **entry._asdict(),
        )
        for story, entry in in_turns(log)
    )
    mark_undone(build)
    return ids


def mark_undone(build: Build) -> None:
    """Mark the undone entries, like an undo."""
    entries = ReviewEntry.objects.filter(build=build).order_by("id")
    standing: dict[str, list[ReviewEntry]] = defaultdict(list)
    marked = []
    for entry in entries:
        if entry.decision != "undone":
            standing[entry.story_id].append(entry)
        elif standing[entry.story_id]:
            marked.append(standing[entry.story_id].pop())
            marked[-1].undone_by = entry.pk
    ReviewEntry.objects.bulk_update(marked, ["undone_by"])


def summary(found: LoggedDecisions | None) -> Summary:
    if found is None:
        return (0, None, None)
    newest, before = found.newest, found.before_last
    return (found.number, newest and newest.comment, before and before.comment)


def summaries(build: Build, shots: Mapping[str, str]) -> dict[str, Summary]:
    found = logged_decisions(build)
    return {story: summary(found.get(shot)) for story, shot in shots.items()}


def expected(log: Log) -> dict[str, Summary]:
    """Return the same by reading all entries, one by one."""
    found = {}
    for story, entries in log.items():
        standing: list[LogEntry] = []
        for entry in entries:
            if entry.decision != "undone":
                standing.append(entry)
            elif standing:
                standing.pop()
        own = [
            each.comment
            for each in standing
            if each.decision in DECISIONS and each.source in OWN_SOURCES
        ]
        found[story] = (len(own), newest_in(own), newest_in(own[:-1]))
    return found


def newest_in(comments: Sequence[str]) -> str | None:
    return next((each for each in reversed(comments) if each), None)


def test_which_decisions_count(case: Case, build: Build) -> None:
    cases: dict[str, tuple[list[LogEntry], Summary]] = {
        "none": ([], (0, None, None)),
        "decided once": ([APPROVED], (1, None, None)),
        "approved after a rejection": ([REJECTED, APPROVED], (2, "Too red", "Too red")),
        "both with a comment": ([REJECTED, PRAISED], (2, "Fine", "Too red")),
        "cleared": ([REJECTED, CLEARED], (1, "Too red", None)),
        "undone": ([REJECTED, UNDONE], (0, None, None)),
        "the newer one undone": ([REJECTED, APPROVED, UNDONE], (1, "Too red", None)),
        "both undone": ([REJECTED, PRAISED, UNDONE, UNDONE], (0, None, None)),
        "decided again after undoing": ([REJECTED, UNDONE, PRAISED], (1, "Fine", None)),
        "the clearing undone": ([REJECTED, CLEARED, UNDONE], (1, "Too red", None)),
        "an undo of nothing": ([UNDONE, REJECTED], (1, "Too red", None)),
        "carried over": ([CARRIED_OVER], (0, None, None)),
        "kept for another base branch": ([REJECTED, KEPT], (1, "Too red", None)),
    }
    log = {name: logged for name, (logged, _) in cases.items()}
    found = summaries(build, write(build, log))
    read = expected(log)
    for name, (_, counted) in cases.items():
        with case(name):
            assert found[name] == counted
            assert read[name] == counted


@pytest.mark.parametrize("replaced", [False, True])
def test_the_database_counts_as_reading_each_entry_does(build: Build, *, replaced: bool) -> None:
    chance = random.Random(seed())
    decisions = (*DECISIONS, "cleared", "undone", "undone")
    log = {
        f"story {number}": [
            LogEntry(
                chance.choice(decisions),
                chance.choice(SOURCES),
                chance.choice(("", "", f"comment {number} {place}")),
            )
            for place in range(chance.randrange(12))
        ]
        for number in range(rounds(200, 2000))
    }
    shots = write(build, log, replaced=replaced)
    # Neither decisions on the build nor decisions of another build are read.
    ReviewEntry.objects.create(build=build, decision="approved", source="user", comment="All")
    assert summaries(build, shots) == expected(log)


def test_decisions_on_variants_without_a_screenshot_are_left_out(build: Build) -> None:
    shots = write(build, {"gone": [REJECTED], "here": [APPROVED]}, replaced=True)
    Screenshot.objects.filter(pk=shots["gone"]).delete()
    assert {shot: each.number for shot, each in logged_decisions(build).items()} == {
        shots["here"]: 1
    }


def test_screenshots_that_were_decided_alike_are_one_row(build: Build) -> None:
    write(build, {f"story {number}": [LogEntry(*APPROVED), CLEARED] * 2 for number in range(50)})
    with counted_statements() as statements:
        logged_decisions(build)
    with connection.cursor() as cursor:
        cursor.execute(statements[0])
        assert len(cursor.fetchall()) == 1


def test_the_current_decision_is_no_earlier_one(case: Case, build: Build) -> None:
    shots = write(build, {"twice": [REJECTED, PRAISED], "once": [REJECTED]})
    found = logged_decisions(build)
    for decision, source, count, comment in (
        ("approved", "user", 1, "Too red"),
        ("", "", 2, "Fine"),
        ("approved", "carried_over", 2, "Fine"),
    ):
        with case(f"{decision} {source}"):
            before = decisions_before(found[shots["twice"]], decision, source)
            assert (before.number, before.commented and before.commented.comment) == (
                count,
                comment,
            )
    assert decisions_before(found[shots["once"]], "rejected", "user") == (0, None)
