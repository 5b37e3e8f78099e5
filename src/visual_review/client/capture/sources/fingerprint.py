"""The hash of a story, from which it can be read what kind of thing has changed.

``3:156.0.8078.79:RRRRRRRRRR:SSSSSSSSSS:DDDDDDDDDDDDDDDDDDDD`` is the format, the version of the
browser, two characters for each part of the renderer, two for each part of the story, and a
digest of everything. The digest decides; the rest names the cause. See decision 2042.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

# Increase it to change the hashes of equal sources, so that all stories are captured again.
FORMAT: Final = "3"
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
    # Of one story alone, so no cause that stories have in common.
    "own": "",
    "code": "the code that all stories load changed, though no source did: look for a variable of "
    "the build, its configuration, or a package",
    "built": "its built code changed, though no source did: look for a variable of the build, its "
    "configuration, or a package",
}
BUILT: Final = ("code", "built")
# Built code changes with the sources that it is built from.
SOURCES: Final = frozenset({"preview", "own"})
EARLIER: Final = "the baseline was captured by an earlier version of Visual Review"
PATTERN: Final = re.compile(
    r"(?P<format>\w+):(?P<version>[^:]*):(?P<renderer>[^:]{10}):(?P<story>[^:]{10}):[^:]{20}"
)
Parts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Renderer:
    """What renders: the version of the browser, and a digest of each of ``RENDERER_PARTS``."""

    version: str
    parts: Parts


UNKNOWN_RENDERER: Final = Renderer("", dict.fromkeys(RENDERER_PARTS, ""))


def digest(value: object) -> str:
    """Return 43 characters for a value of JSON."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    hashed = hashlib.sha256(text.encode()).digest()
    return base64.b64encode(hashed).decode().rstrip("=")


def digest_files(files: Iterable[tuple[str, str]]) -> str:
    """Return a digest in which neither the order of the files nor the place of packages counts."""
    # Packages may be linked from anywhere; two versions of one differ in content.
    return digest(sorted({(name.rpartition("node_modules/")[2], value) for name, value in files}))


def make_hash(renderer: Renderer, story: Parts) -> str:
    """Return the hash of a story with a digest of each of ``STORY_PARTS``."""
    version = re.sub(r"[^0-9A-Za-z.]", "", renderer.version)[:LONGEST_VERSION]
    everything = [FORMAT, renderer.version, dict(renderer.parts), dict(story)]
    fields = (
        FORMAT,
        version,
        "".join(digest(renderer.parts[name])[:PART_LENGTH] for name in RENDERER_PARTS),
        "".join(digest(story[name])[:PART_LENGTH] for name in STORY_PARTS),
        digest(everything)[:DIGEST_LENGTH],
    )
    return ":".join(fields)


def describe_changes(before: str, after: str) -> list[str]:
    """Return what differs between two hashes of a story; nothing if only its own files do."""
    old, new = PATTERN.fullmatch(before), PATTERN.fullmatch(after)
    if old is None or new is None or old["format"] != new["format"]:
        return [EARLIER]
    renderer = _differing(old["renderer"], new["renderer"], RENDERER_PARTS)
    if old["version"] != new["version"]:
        renderer = [name for name in renderer if name != "browser"]
        causes = [f"the browser changed from {old['version']} to {new['version']}"]
    else:
        causes = []
    story = _differing(old["story"], new["story"], STORY_PARTS)
    if not SOURCES.isdisjoint(story):
        story = [name for name in story if name not in BUILT]
    return [
        *causes,
        *(RENDERER_PARTS[name] for name in renderer),
        *(STORY_PARTS[name] for name in story if STORY_PARTS[name]),
    ]


def _differing(before: str, after: str, names: Mapping[str, str]) -> list[str]:
    spans = [slice(start, start + PART_LENGTH) for start in range(0, len(after), PART_LENGTH)]
    return [name for name, span in zip(names, spans, strict=True) if before[span] != after[span]]
