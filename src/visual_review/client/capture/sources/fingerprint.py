"""The two hashes of a screenshot, which show what kind of thing has changed.

``4:SSSSSSSSSS:DDDDDDDDDDDDDDDDDDDD`` is the source hash: the format, two characters for each part
of the story, and a digest of everything. ``4:156.0.8078.79:RRRRRRRRRR:DDDDDDDDDDDDDDDDDDDD`` is the
renderer hash: it names the version of the browser, too. The digest decides; the rest names the
cause. See docs/explanation/design/partial-builds.md.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

# Increase the number to change the hashes of equal sources, so that all stories are captured again.
FORMAT: Final = "4"
LONGEST_VERSION: Final = 18
DIGEST_LENGTH: Final = 20
PART_LENGTH: Final = 2

RENDERER_PARTS: Final = {
    "browser": "the browser changed",
    "fonts": "the installed fonts changed",
    "flags": "the browser's flags or its locale changed",
    "capture": "this version of Visual Review captures differently",
    "settings": "the capture settings changed (viewports, themes, hosts or times)",
}
STORY_PARTS: Final = {
    "preview": "a file that the preview imports changed",
    "static": "a static file of the Storybook changed",
    # Of one story alone, and so never a common cause.
    "own": "",
    "code": "the code that all stories load changed, though no source did: look for a variable of "
    "the build, its configuration, or a package",
    "built": "its built code changed, though no source did: look for a variable of the build, its "
    "configuration, or a package",
}
BUILT: Final = ("code", "built")
# Built code changes with its sources.
SOURCES: Final = frozenset({"preview", "own"})
EARLIER: Final = "the baseline was captured by an earlier version of Visual Review"
SOURCE_PATTERN: Final = re.compile(r"(?P<format>\w+):(?P<parts>[^:]{10}):[^:]{20}")
RENDERER_PATTERN: Final = re.compile(
    r"(?P<format>\w+):(?P<version>[^:]*):(?P<parts>[^:]{10}):[^:]{20}"
)
Parts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Renderer:
    """The version of the browser, and a digest of each of ``RENDERER_PARTS``."""

    version: str
    parts: Parts


class Fingerprint(NamedTuple):
    """The hashes of a screenshot's sources and of its renderer; empty if unknown."""

    source: str = ""
    renderer: str = ""

    def is_same(self, other: "Fingerprint | None") -> bool:
        """Whether both hashes are known and equal; an image taken now would be the same."""
        return other == self and bool(self.source and self.renderer)


NOT_HASHED: Final = Fingerprint()


def digest(value: object) -> str:
    """Return 43 characters for a value of JSON."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    hashed = hashlib.sha256(text.encode()).digest()
    return base64.b64encode(hashed).decode().rstrip("=")


def digest_files(files: Iterable[tuple[str, str]]) -> str:
    """Return a digest independent of the order of the files and of the place of packages."""
    # Packages may be linked from anywhere; two versions of one differ in content.
    return digest(sorted({(name.rpartition("node_modules/")[2], value) for name, value in files}))


def make_source_hash(story: Parts) -> str:
    """Return the hash of a story with a digest of each of ``STORY_PARTS``."""
    everything = digest([FORMAT, dict(story)])[:DIGEST_LENGTH]
    return ":".join((FORMAT, _shorten(story, STORY_PARTS), everything))


def make_renderer_hash(renderer: Renderer) -> str:
    version = re.sub(r"[^0-9A-Za-z.]", "", renderer.version)[:LONGEST_VERSION]
    everything = digest([FORMAT, renderer.version, dict(renderer.parts)])[:DIGEST_LENGTH]
    return ":".join((FORMAT, version, _shorten(renderer.parts, RENDERER_PARTS), everything))


def _shorten(parts: Parts, names: Iterable[str]) -> str:
    return "".join(digest(parts[name])[:PART_LENGTH] for name in names)


def describe_changes(before: Fingerprint, after: Fingerprint) -> list[str]:
    """Return the differences of two fingerprints, except for files of the story alone."""
    old, new = (SOURCE_PATTERN.fullmatch(each.source) for each in (before, after))
    if old is None or new is None or old["format"] != new["format"] or not before.renderer:
        return [EARLIER]
    story = _differing(old["parts"], new["parts"], STORY_PARTS)
    if not SOURCES.isdisjoint(story):
        story = [name for name in story if name not in BUILT]
    return [
        *describe_renderer_changes(before.renderer, after.renderer),
        *(STORY_PARTS[name] for name in story if STORY_PARTS[name]),
    ]


def describe_renderer_changes(before: str, after: str) -> list[str]:
    """Return the differences of two renderer hashes."""
    old, new = RENDERER_PATTERN.fullmatch(before), RENDERER_PATTERN.fullmatch(after)
    if old is None or new is None or old["format"] != new["format"]:
        return [EARLIER]
    names = _differing(old["parts"], new["parts"], RENDERER_PARTS)
    if old["version"] == new["version"]:
        return [RENDERER_PARTS[name] for name in names]
    causes = [f"the browser changed from {old['version']} to {new['version']}"]
    return causes + [RENDERER_PARTS[name] for name in names if name != "browser"]


def _differing(before: str, after: str, names: Mapping[str, str]) -> list[str]:
    spans = [slice(start, start + PART_LENGTH) for start in range(0, len(after), PART_LENGTH)]
    return [name for name, span in zip(names, spans, strict=True) if before[span] != after[span]]
