"""What is told of a video when it is announced, and what makes it the same when told again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from visual_review.client.ci import CiFacts
from visual_review.client.recordings.found_videos import Attached, Step, Video

# What the interface takes at most; it shortens texts itself.
MOST_STEPS: Final = 2000
MOST_ATTACHMENTS: Final = 50
NAME_LENGTH: Final = 300
YEARS: Final = range(1971, 2200)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the videos come from."""

    facts: CiFacts
    product_key: str


@dataclass(frozen=True, slots=True)
class Announcement:
    """The body of ``POST recordings``, and the files that belong to it by their names."""

    body: Mapping[str, Any]
    files: Mapping[str, Attached]


def announcement(video: Video, origin: Origin) -> Announcement:
    """Reads the files for their hashes; OSError when one is gone."""
    attachments = _named(video.attachments)
    body: dict[str, Any] = {
        "productKey": origin.product_key,
        "title": video.title,
        "project": video.project,
        "retry": video.retry,
        "error": video.error,
        "branch": origin.facts.branch,
        "commit": origin.facts.commit,
        "headRepository": origin.facts.head_repository,
        "pullRequest": origin.facts.pull_request,
        "outcome": video.outcome or None,
        "testDurationMs": video.duration_ms,
        "ranAt": moment(video.ran_at),
        "test": _test(video),
        "steps": [_step(step) for step in video.steps[:MOST_STEPS]],
        **_file(video.path, "fileName"),
        "attachments": [
            {"contentType": each.content_type, **_file(each.path, "name"), "name": name}
            for name, each in attachments.items()
        ],
    }
    body = {name: value for name, value in body.items() if value is not None}
    return Announcement({"key": _key(body, video.part), **body}, attachments)


def _key(body: Mapping[str, Any], part: int) -> str:
    """The same video of the same run has the same key, so a command run again continues."""
    # Steps and errors follow from the report; the rest is what the service compares.
    names = sorted(body.keys() - {"steps", "error", "testDurationMs"})
    told = json.dumps([part, *([name, body[name]] for name in names)])
    return hashlib.sha256(told.encode()).hexdigest()


def moment(text: str) -> str | None:
    """The report's time with its offset; None for what is no time of our days."""
    try:
        read = datetime.fromisoformat(text)
        # JUnit's writers leave the offset out and mean the machine's own.
        return read.astimezone().isoformat() if read.year in YEARS else None
    except (ValueError, OverflowError, OSError):
        return None


def _test(video: Video) -> dict[str, str] | None:
    test = video.test
    return {"file": test.file, "suite": test.suite, "title": test.title} if test else None


def _step(step: Step) -> dict[str, Any]:
    told = {"title": step.title, "startMs": step.start_ms, "durationMs": step.duration_ms}
    return {**told, "storyId": step.story_id} if step.story_id else told


def _file(path: Path, name: str) -> dict[str, Any]:
    with path.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
        return {name: file_name(path.name), "size": source.tell(), "sha256": digest}


def file_name(name: str) -> str:
    """The name in a form the interface takes, its ending kept."""
    plain = "".join(letter if letter.isprintable() else "_" for letter in name)
    plain = plain.encode("utf-8", "replace").decode()
    stem, dot, ending = plain.rpartition(".")
    room = NAME_LENGTH - len(dot) - len(ending)
    return f"{stem[:room]}{dot}{ending}" if stem and room > 0 else plain[:NAME_LENGTH]


def _named(attachments: Sequence[Attached]) -> dict[str, Attached]:
    """By the file's name, with a number where several have the same."""
    named: dict[str, Attached] = {}
    for each in attachments[:MOST_ATTACHMENTS]:
        name, number = file_name(each.path.name), 2
        while name in named:
            name, number = file_name(f"{number}-{each.path.name}"), number + 1
        named[name] = each
    return named
