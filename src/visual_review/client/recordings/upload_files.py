"""The announcement of a video, and the key for recognizing a repeated announcement."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from visual_review.client.ci import CiFacts
from visual_review.client.recordings.found_videos import Attachment, Step, Video

# Limits of the interface, which shortens longer strings itself.
MOST_STEPS: Final = 2000
MOST_ATTACHMENTS: Final = 50
NAME_LENGTH: Final = 300
YEARS: Final = range(1971, 2200)


@dataclass(frozen=True, slots=True)
class Origin:
    """The commit and the product of the videos."""

    facts: CiFacts
    product_key: str


@dataclass(frozen=True, slots=True)
class Announcement:
    """The body of ``POST recordings``, and the attachments by name."""

    body: Mapping[str, Any]
    files: Mapping[str, Attachment]


def make_announcement(video: Video, origin: Origin) -> Announcement:
    """Build the announcement, hashing the files. Raises OSError if one is missing."""
    attachments = _by_unique_name(video.attachments)
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
        "ranAt": parse_time(video.ran_at),
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
    """Return the key, equal for the same video of a run, so that a second run continues."""
    # Steps and errors follow from the report; the service compares the rest.
    names = sorted(body.keys() - {"steps", "error", "testDurationMs"})
    text = json.dumps([part, *([name, body[name]] for name in names)])
    return hashlib.sha256(text.encode()).hexdigest()


def parse_time(text: str) -> str | None:
    """Return the time of a report with its offset; None for an implausible time."""
    try:
        time = datetime.fromisoformat(text)
        # JUnit reporters omit the offset and mean the machine's time zone.
        return time.astimezone().isoformat() if time.year in YEARS else None
    except (ValueError, OverflowError, OSError):
        return None


def _test(video: Video) -> dict[str, str] | None:
    test = video.test
    return {"file": test.file, "suite": test.suite, "title": test.title} if test else None


def _step(step: Step) -> dict[str, Any]:
    fields = {"title": step.title, "startMs": step.start_ms, "durationMs": step.duration_ms}
    return {**fields, "storyId": step.story_id} if step.story_id else fields


def _file(path: Path, name: str) -> dict[str, Any]:
    with path.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
        return {name: clean_file_name(path.name), "size": source.tell(), "sha256": digest}


def clean_file_name(name: str) -> str:
    """Return the name as accepted by the interface, with the extension."""
    plain = "".join(char if char.isprintable() else "_" for char in name)
    plain = plain.encode("utf-8", "replace").decode()
    stem, dot, extension = plain.rpartition(".")
    limit = NAME_LENGTH - len(dot) - len(extension)
    return f"{stem[:limit]}{dot}{extension}" if stem and limit > 0 else plain[:NAME_LENGTH]


def _by_unique_name(attachments: Sequence[Attachment]) -> dict[str, Attachment]:
    """Return the attachments by file name, numbered if several have the same."""
    named: dict[str, Attachment] = {}
    for each in attachments[:MOST_ATTACHMENTS]:
        name, number = clean_file_name(each.path.name), 2
        while name in named:
            name, number = clean_file_name(f"{number}-{each.path.name}"), number + 1
        named[name] = each
    return named
