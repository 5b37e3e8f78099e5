"""Reads the list of stories of a built Storybook (``index.json`` versions 4 and 5)."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visual_review.client.capture.errors import CaptureError

INDEX_FILE = "index.json"
OLD_INDEX_FILE = "stories.json"
PREVIEW_FILE = "iframe.html"
# Storybook 7 wrote version 4, Storybook 8 and later write version 5.
INDEX_VERSIONS = (4, 5)
# The limit of the CI interface.
LONGEST_ID = 300
NO_STORIES_HINT = (
    "Does 'stories' in .storybook/main name the project's story files? Build it again."
)
REBUILD = "Build the Storybook again."
SHOWN = 60
SHOWN_IDS = 20
# Control characters, and surrogates, which no encoding has.
UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
# Stories with this tag are left out unless --include-tag names the tag.
SKIP_TAG = "skip"


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether ``path``, named below ``folder``, is a file somewhere else."""
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    # Links in a circle.
    except (OSError, RuntimeError):
        return True


@dataclass(frozen=True, slots=True)
class Story:
    """One story of the index; ``import_path`` is relative to the project's root."""

    id: str
    title: str
    name: str
    import_path: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TagFilter:
    """Chooses stories by their tags; without ``included`` tags, any story may be chosen."""

    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def select(self, stories: Sequence[Story]) -> tuple[list[Story], list[Story]]:
        """Return the stories to capture, and the stories left out."""
        chosen: list[Story] = []
        left_out: list[Story] = []
        for story in stories:
            (chosen if self._allows(frozenset(story.tags)) else left_out).append(story)
        return chosen, left_out

    def _allows(self, tags: frozenset[str]) -> bool:
        excluded = self.excluded | ({SKIP_TAG} - self.included)
        return not tags & excluded and (not self.included or bool(tags & self.included))


def describe_left_out(stories: Sequence[Story]) -> str:
    """Return a sentence with the stories left out because of their tags; empty without any."""
    if not stories:
        return ""
    named = ", ".join(story.id for story in stories[:SHOWN_IDS])
    more = f" and {len(stories) - SHOWN_IDS} more" if len(stories) > SHOWN_IDS else ""
    are = "1 story is" if len(stories) == 1 else f"{len(stories)} stories are"
    return f"{are} left out because of tags: {named}{more}."


def is_storybook(folder: Path) -> bool:
    """Return whether ``folder`` looks like a built Storybook of any version."""
    return (folder / PREVIEW_FILE).is_file()


def explain_url(folder: Path) -> str | None:
    """Return advice if ``folder`` is a URL, otherwise None."""
    if not URL.match(str(folder)) or folder.exists():
        return None
    return (
        f"{str(folder).replace(':/', '://', 1)} is a URL, but a capture reads the files of a built Storybook: a running one "
        "may change meanwhile. Run `storybook build` and pass the folder that it writes "
        "(usually storybook-static)."
    )


def read_stories(folder: Path) -> list[Story]:
    """Return the stories of a built Storybook in the order of its index, without docs pages.

    Raises ``CaptureError`` unless the folder is a Storybook of version 7 or later.
    """
    return parse_index(_read_index(folder), str(folder / INDEX_FILE))


def _read_index(folder: Path) -> str:
    if problem := explain_url(folder):
        raise CaptureError(problem)
    if not folder.is_dir():
        raise CaptureError(f"There is no folder {folder}. Build the Storybook first.")
    if not (folder / INDEX_FILE).is_file():
        raise CaptureError(_missing_index(folder))
    if not is_storybook(folder):
        raise CaptureError(f"{folder} has an {INDEX_FILE} but no {PREVIEW_FILE}: build it again.")
    if leads_out(folder / INDEX_FILE, folder):
        raise CaptureError(f"{folder / INDEX_FILE} is a link that leads out of the folder.")
    try:
        return (folder / INDEX_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError(f"{folder / INDEX_FILE} cannot be read: {error}") from error


def _missing_index(folder: Path) -> str:
    if (folder / OLD_INDEX_FILE).is_file():
        return (
            f"{folder} has only {OLD_INDEX_FILE}, the index of Storybook 6 and older. "
            "Visual Review supports Storybook 7 to 10: upgrade and build again."
        )
    return (
        f"{folder} has no {INDEX_FILE}, so it is not a built Storybook. "
        "Pass the folder written by `storybook build` (usually storybook-static)."
    )


def parse_index(text: str, where: str) -> list[Story]:
    """Return the stories of an index file's ``text``; ``where`` names the file in errors."""
    entries = _read_entries(text, where)
    stories = [_read_story(key, entry, where) for key, entry in entries.items() if _is_story(entry)]
    _check_ids(stories, where)
    return stories


def _check_ids(stories: Sequence[Story], where: str) -> None:
    """Raise ``CaptureError`` for an ID unusable in a file name or on the server."""
    for story in stories:
        if len(story.id) > LONGEST_ID:
            raise CaptureError(
                f"{where}: the ID {story.id[:SHOWN]!r}... has {len(story.id)} characters, at most "
                f"{LONGEST_ID} are possible. Give the story a shorter title or name."
            )
        if UNUSABLE.search(story.id):
            raise CaptureError(
                f"{where}: the ID {story.id[:SHOWN]!r} has a control character. Remove it from "
                "the title or name of the story."
            )
    for story_id, count in Counter(story.id for story in stories).items():
        if count > 1:
            raise CaptureError(
                f"{where}: {count} stories have the ID {story_id!r}. Give them different titles "
                "or names, and build the Storybook again."
            )


def entry_paths(folder: Path) -> set[str]:
    """Return the import paths of all entries of the index: story files and docs pages."""
    entries = _read_entries(_read_index(folder), str(folder / INDEX_FILE)).values()
    paths = {entry.get("importPath") for entry in entries if isinstance(entry, dict)}
    return {path for path in paths if isinstance(path, str)}


def _read_entries(text: str, where: str) -> dict[str, Any]:
    try:
        index = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaptureError(f"{where} is not valid JSON: {error}. {REBUILD}") from error
    if not isinstance(index, dict):
        raise CaptureError(f"{where} is not a JSON object, so it is not a Storybook index.")
    if index.get("v") not in INDEX_VERSIONS:
        raise CaptureError(
            f"{where} has version {index.get('v')!r}, but only 4 and 5 (Storybook 7 to 10) "
            "are supported."
        )
    entries = index.get("entries")
    if not isinstance(entries, dict):
        raise CaptureError(f"{where} has no object 'entries': build the Storybook again.")
    return entries


def _is_story(entry: Any) -> bool:  # noqa: ANN401 -- Raw JSON of any shape.
    # Storybook 10 also lists the tests of a story; tests show no component of their own.
    return not isinstance(entry, dict) or (
        entry.get("type", "story") == "story" and entry.get("subtype", "story") == "story"
    )


def _read_story(key: str, entry: Any, where: str) -> Story:  # noqa: ANN401 -- Raw JSON of any shape.
    if not isinstance(entry, dict):
        raise CaptureError(f"{where}: the entry {key!r} is not an object. {REBUILD}")
    fields = {name: entry.get(name) for name in ("id", "title", "name", "importPath")}
    for name, value in fields.items():
        if not isinstance(value, str) or not value:
            raise CaptureError(f"{where}: {name!r} of the entry {key!r} is not a string. {REBUILD}")
    tags = entry.get("tags")
    return Story(
        id=str(fields["id"]),
        title=str(fields["title"]),
        name=str(fields["name"]),
        import_path=str(fields["importPath"]),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )
