"""A capture's notes in a few lines: one for each kind, with an example and the way out."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from visual_review.client.capture.notes import (
    BLOCKED_REQUEST,
    KINDS,
    MOST_NOTES,
    SAME_THEMES,
    UNSTABLE,
    NoteText,
    describe,
    describe_all,
)
from visual_review.client.capture.results import Note, Shot
from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant
from visual_review.variants import Device

# Fewer stories may well have no dark parts.
FEWEST_STORIES: Final = 3
DARK: Final = "dark"
# With the port, as for --allow-host.
HOST: Final = re.compile(r"\b(?:https?|wss?)://([A-Za-z0-9.-]+(?::\d+)?)")


class ImageWithNotes(Protocol):
    @property
    def story_id(self) -> str: ...
    @property
    def variant(self) -> Variant: ...
    @property
    def unstable(self) -> str: ...
    @property
    def notes(self) -> Sequence[NoteText]: ...


def summarize_notes(images: Iterable[ImageWithNotes]) -> list[str]:
    """Return a line for each kind of note, the most important kinds first."""
    found: defaultdict[str, list[tuple[ImageWithNotes, str]]] = defaultdict(list)
    for image in sorted(images, key=lambda each: (each.story_id, each.variant)):
        texts = {note.kind: note.text for note in reversed(image.notes)}
        if image.unstable:
            texts[UNSTABLE] = describe(Note(UNSTABLE, image.unstable))
        for kind, text in texts.items():
            found[kind].append((image, text))
    order = [*KINDS, *sorted(found.keys() - KINDS.keys())]
    lines = [_format(kind, found[kind]) for kind in order if kind in found]
    hosts = count_refused_hosts(
        (image.story_id, image.notes) for image, _ in found[BLOCKED_REQUEST]
    )
    return [*lines, _describe_hosts(hosts)] if hosts else lines


def count_refused_hosts(
    images: Iterable[tuple[str, Sequence[NoteText]]],
) -> dict[str, int]:
    """Return how many stories request each host that is not allowed."""
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for story, notes in images:
        for note in notes:
            for host in HOST.findall(note.text) if note.kind == BLOCKED_REQUEST else ():
                stories[host].add(story)
    return {host: len(stories[host]) for host in sorted(stories)}


def _describe_hosts(hosts: Mapping[str, int]) -> str:
    options = " ".join(f"--allow-host {host}" for host in hosts)
    counts = ", ".join(
        f"{host}: {count} {'story' if count == 1 else 'stories'}" for host, count in hosts.items()
    )
    return f"To allow these hosts, add {options} ({counts})."


def _format(kind: str, images: Sequence[tuple[ImageWithNotes, str]]) -> str:
    image, text = images[0]
    where = f"{image.story_id} {image.variant}"
    if len(images) == 1:
        return f"1 screenshot has a note: {where}: {text}"
    predicate = KINDS[kind].predicate if kind in KINDS else "have other notes"
    return f"{len(images)} screenshots {predicate}, such as {where}: {text}"


def count_kinds(kinds: Iterable[str]) -> dict[str, int]:
    """Return how often each kind occurs, in the order of their names."""
    return dict(sorted(Counter(kinds).items()))


class ThemeComparison:
    """Whether any story of a capture looks different in dark than in light."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Story, Device], tuple[str, bytes]] = {}
        self._equal: set[Story] = set()
        self._differ = False

    def add(self, shot: Shot) -> None:
        if shot.png is None or self._differ:
            return
        key = shot.story, shot.variant.device
        theme, digest = shot.variant.theme, hashlib.sha256(shot.png).digest()
        other = self._waiting.pop(key, None)
        if other is None or other[0] == theme:
            self._waiting[key] = (theme, digest)
        elif other[1] == digest:
            self._equal.add(shot.story)
        else:
            self._differ = True

    def add_note(self, notes: Sequence[NoteText], variant: Variant) -> tuple[NoteText, ...]:
        """Return the notes, with one for dark screenshots if no story looks different in light."""
        if variant.theme != DARK or self._differ or len(self._equal) < FEWEST_STORIES:
            return tuple(notes)
        return (*notes[: MOST_NOTES - 1], *describe_all([Note(SAME_THEMES)]))
