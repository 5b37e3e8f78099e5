"""Map the image files of a folder to stories and variants, never two files to the same one."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from visual_review.client.image_names.readers import (
    BY_NAME,
    OWN,
    PLAIN,
    PRESETS,
    NameParts,
    Preset,
    list_places,
    split_path,
)
from visual_review.client.image_names.variant_terms import (
    DEVICES,
    MODELS,
    THEMES,
    VariantTerms,
    as_device,
    as_theme,
)
from visual_review.client.terminal import printable
from visual_review.variants import Device, Theme

_FIELD: Final = re.compile(r"\{(\w*)\}")
_EXTENSION: Final = re.compile(r"\.(png|jpe?g|webp)$", re.IGNORECASE)
_WORD: Final = r"[^-_./ ]+"
# An unlimited number would let a name of another person take minutes to match.
MOST_ANY: Final = 3
FIELDS: Final = {
    "story": r"(?P<story>.+)",
    "theme": rf"(?P<theme>(?i:{'|'.join(sorted(THEMES))}))",
    "device": rf"(?P<device>(?i:{'|'.join([*DEVICES, *MODELS])}|\d{{2,5}}x\d{{2,5}}))",
    "browser": rf"(?P<browser>{_WORD})",
    "platform": rf"(?P<platform>{_WORD})",
    "any": r"[^/]+",
}
_FOLDERS: Final = {
    "__diff_output__": "an image of differences",
    "__received_output__": "a copy of a screenshot that differed",
}
_DIFFERENCES: Final = re.compile(
    r"/\.(?:loki|lostpixel)/difference/|/cypress/snapshots/diff/|/cypress-image-diff-screenshots/diff/"
)
# Folders of expectations, and the folder for the images of a run of the same tool.
RECEIVED_FOLDERS: Final = (
    ("/.loki/reference/", "/.loki/current/"),
    ("/.lostpixel/baseline/", "/.lostpixel/current/"),
    ("/cypress/snapshots/base/", "/cypress/snapshots/actual/"),
    ("/cypress-image-diff-screenshots/baseline/", "/cypress-image-diff-screenshots/comparison/"),
)
NEW_IMAGE: Final = "the new image of an expectation, whose place it takes"
_ACTUAL: Final = "-actual"
PLAYWRIGHT_RESULTS: Final = "test-results"
_FAILED: Final = re.compile(r"\(failed\)( \(attempt \d+\))?$")
_ATTEMPT: Final = re.compile(r"^(?P<name>.*?)( \(attempt (?P<number>\d+)\))?$", re.DOTALL)
# Playwright writes these images next to NAME-actual.png when a test fails.
_NEXT_TO_ACTUAL: Final = {
    "-diff": "an image of differences",
    "-expected": "the expected image of a failed test",
    "-previous": "an earlier image of a failed test",
}
# The longest ID and title accepted by the server.
LONGEST_ID: Final = 300
LONGEST_TITLE: Final = 500
# Control characters, and the replacements for bytes of a name other than UTF-8.
_UNUSABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
Read = Callable[[str], NameParts | None]


class PatternError(ValueError):
    """An unusable pattern; the message is for the author of the pattern."""


@dataclass(frozen=True, slots=True)
class NamePattern:
    """With a slash, the pattern describes the whole path, otherwise only the file's name."""

    text: str
    expression: re.Pattern[str]
    has_folders: bool

    def read(self, path: str) -> NameParts | None:
        folders, stem = split_path(path)
        match = self.expression.fullmatch("/".join([*folders, stem]) if self.has_folders else stem)
        if match is None:
            return None
        found = {name: text or "" for name, text in match.groupdict().items()}
        *places, name = found["story"].split("/")
        if not name:
            return None
        terms = VariantTerms()
        terms.take_end(found.get("device", ""), whole=True)
        return NameParts(
            folders=tuple(filter(None, places))
            if self.has_folders
            else tuple(list_places(folders)),
            name=name,
            theme=found.get("theme", "").lower(),
            device=terms.device or terms.nearest_device,
            browser=found.get("browser", ""),
            platform=found.get("platform", ""),
        )


def parse_pattern(text: str) -> NamePattern:
    """Raises PatternError."""
    if "\\" in text:
        raise PatternError(f"The name pattern {text!r} has a backslash; write folders with /.")
    cleaned = _EXTENSION.sub("", text.strip().removeprefix("./"))
    names = _FIELD.findall(cleaned)
    _check_fields(text, cleaned, names)
    parts = _FIELD.split(cleaned)
    # Literal text and names of fields take turns.
    expression = "".join(
        FIELDS[part] if index % 2 else re.escape(part) for index, part in enumerate(parts)
    )
    return NamePattern(text, re.compile(expression, re.DOTALL), "/" in cleaned)


def _check_fields(text: str, cleaned: str, names: list[str]) -> None:
    known = ", ".join(f"{{{name}}}" for name in FIELDS)
    unknown = [name for name in names if name not in FIELDS]
    if unknown or "{" in _FIELD.sub("", cleaned) or "}" in _FIELD.sub("", cleaned):
        wrong = f"{{{unknown[0]}}}" if unknown else "a single brace"
        raise PatternError(f"The name pattern {text!r} has {wrong}. The fields are {known}.")
    if "story" not in names:
        raise PatternError(f"The name pattern {text!r} needs the field {{story}}.")
    twice = [name for name in names if name != "any" and names.count(name) > 1]
    if twice:
        raise PatternError(f"The name pattern {text!r} has the field {{{twice[0]}}} twice.")
    if names.count("any") > MOST_ANY:
        raise PatternError(f"The name pattern {text!r} has {{any}} more than {MOST_ANY} times.")
    if "}{" in cleaned:
        raise PatternError(
            f"The name pattern {text!r} has two fields next to each other; put the characters "
            "between them that the names have there."
        )


class NamingError(ValueError):
    """Reading the names needs a decision of the user; the message names the decision."""


@dataclass(frozen=True, slots=True)
class NamingOptions:
    """How names are read."""

    # A preset or a pattern; empty: find a preset automatically.
    pattern: str = ""
    # For names without a theme.
    theme: Theme = "light"
    # For names without a device.
    device: Device = "desktop"


@dataclass(frozen=True, slots=True)
class NamedImage:
    """An image file, its story and variant."""

    file: str
    story_id: str
    title: str
    theme: Theme
    device: Device
    # The parts missing in the name.
    assumed: tuple[str, ...] = ()


@dataclass(slots=True)
class NameMapping:
    """Each file is in exactly one of ``images``, ``ignored`` and ``problems``."""

    preset: str
    images: list[NamedImage] = field(default_factory=list)
    ignored: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def map_names(files: Collection[str], naming: NamingOptions, location: str = "") -> NameMapping:
    """Map paths with slashes, relative to the folder ``location``. Raises NamingError."""
    mapping = NameMapping("")
    names = frozenset(files)
    candidates = []
    for file in sorted(names):
        if reason := explain_leftover(file, location, names):
            mapping.ignored[file] = reason
        else:
            candidates.append(file)
    mapping.preset, read, unread = _choose_reading(candidates, naming, location)
    by_variant: dict[tuple[str, str, str], str] = {}
    for file in candidates:
        parts = read(file)
        if parts is None:
            unread(mapping)[file] = f"the name does not match {mapping.preset}"
            continue
        image = make_image(file, parts, naming)
        other = by_variant.setdefault((image.story_id, image.theme, image.device), file)
        if problem := check_story(image.story_id, image.title):
            mapping.problems[file] = problem
        elif other != file:
            mapping.problems[file] = f"has the same story and variant as {other}"
        else:
            mapping.images.append(image)
    return mapping


def make_image(file: str, parts: NameParts, naming: NamingOptions) -> NamedImage:
    """A browser and a platform belong to the story: our variants are themes and devices."""
    renderer = [each for each in (parts.browser, parts.platform) if each]
    folder = "/".join(parts.folders)
    story_id = f"{folder}--{parts.name}" if folder else parts.name
    title = "/".join([*parts.folders, parts.name])
    if renderer:
        story_id = f"{story_id}--{'-'.join(renderer)}"
        title = f"{title} ({', '.join(renderer)})"
    known = {"theme": parts.theme, "device": parts.device}
    return NamedImage(
        file,
        story_id,
        printable(title),
        as_theme(parts.theme or naming.theme),
        as_device(parts.device or naming.device),
        tuple(name for name, value in known.items() if not value),
    )


def check_story(story_id: str, title: str) -> str:
    """Return why the server would not accept the story, empty if accepted."""
    if len(story_id) > LONGEST_ID or len(title) > LONGEST_TITLE:
        return f"the name of its story has more than {LONGEST_ID} characters"
    if _UNUSABLE.search(story_id):
        return "its name has control characters, or is not valid UTF-8"
    return ""


def _ignored(mapping: NameMapping) -> dict[str, str]:
    return mapping.ignored


def _problems(mapping: NameMapping) -> dict[str, str]:
    return mapping.problems


def _choose_reading(
    files: Sequence[str], naming: NamingOptions, location: str
) -> tuple[str, Read, Callable[[NameMapping], dict[str, str]]]:
    """Return the name of the reading, the reading, and where files without a match belong."""
    if "{" in naming.pattern or "}" in naming.pattern:
        try:
            pattern = parse_pattern(naming.pattern)
        except PatternError as error:
            raise NamingError(str(error)) from error
        return pattern.text, pattern.read, _ignored
    if not naming.pattern:
        preset = detect_preset(files, location)
        return preset.name, preset.read, _problems
    found = BY_NAME.get(naming.pattern.strip().lower())
    if found is None:
        raise NamingError(
            f"There is no name pattern {naming.pattern!r}. Use one of {', '.join(BY_NAME)}, or a "
            "pattern with {story}, for example '{story}-{theme}-{device}'."
        )
    return (
        found.name,
        lambda file: found.read(file) if found.sign.search(f"{location}/{file}") else None,
        _ignored,
    )


def detect_preset(files: Sequence[str], location: str) -> Preset:
    """Return the preset for all files.

    Raises NamingError if fitting presets read a name differently, or a preset fits only some files.
    """
    fitting = []
    for preset in PRESETS:
        signs = [file for file in files if preset.sign.search(f"{location}/{file}")]
        if files and len(signs) == len(files):
            if preset is OWN:
                return OWN
            fitting.append(preset)
        elif signs and preset is OWN:
            # Files of our own form next to others are more likely misspelled than another layout.
            return OWN
        elif signs and preset.distinct:
            raise NamingError(_describe_mixture(preset, files, signs))
    for other in fitting[1:]:
        if other is not PLAIN:
            _require_same_reading(fitting[0], other, files)
    return fitting[0] if fitting else PLAIN


def _require_same_reading(first: Preset, other: Preset, files: Sequence[str]) -> None:
    if first.read is other.read:
        return
    for file in files:
        if first.read(file) != other.read(file):
            raise NamingError(
                f"The names could be those of {first.name} or of {other.name}, which mean "
                f"different stories; the first is {file}. Pass --name-pattern {first.name} or "
                f"--name-pattern {other.name}."
            )


def _describe_mixture(preset: Preset, files: Sequence[str], signs: Sequence[str]) -> str:
    fitting = frozenset(signs)
    first = next(file for file in files if file not in fitting)
    return (
        f"{len(signs)} of {len(files)} names are those of {preset.name}, the others are not; the "
        f"first is {first}. Pass --name-pattern {preset.name} to ignore the others, or "
        "--name-pattern plain to read all names alike."
    )


def explain_leftover(path: str, location: str, others: Collection[str]) -> str:
    """Return why the image is no screenshot to publish, empty for a screenshot."""
    folders, stem = split_path(path)
    for folder in folders:
        if folder in _FOLDERS:
            return f"{_FOLDERS[folder]} ({folder})"
    if stem.startswith("failed_diff_") or _DIFFERENCES.search(f"{location}/{path}"):
        return "an image of differences"
    if _FAILED.search(stem):
        return "the screenshot of a failed test"
    if _has_later_attempt(path, stem, others):
        return "a later attempt of the same test has this screenshot, too"
    return _explain_new_image(path, location, others)


def _explain_new_image(path: str, location: str, others: Collection[str]) -> str:
    """Return why the image belongs to an unmatched expectation of a run; empty if not."""
    folders, stem = split_path(path)
    if _is_new_image(path, stem, folders, location, others):
        return NEW_IMAGE
    for ending, reason in _NEXT_TO_ACTUAL.items():
        if stem.endswith(ending) and has_sibling(path, ending, _ACTUAL, others):
            return reason
    return ""


def _is_new_image(
    path: str, stem: str, folders: Sequence[str], location: str, others: Collection[str]
) -> bool:
    """Whether a run wrote the image next to an expectation after a mismatch."""
    if stem.endswith(_ACTUAL) and (
        PLAYWRIGHT_RESULTS in (*folders, location.rpartition("/")[2])
        or any(has_sibling(path, _ACTUAL, ending, others) for ending in _NEXT_TO_ACTUAL)
    ):
        return True
    whole = f"{location}/{path}"
    return any(
        actual in whole and whole.replace(actual, expected).removeprefix(f"{location}/") in others
        for expected, actual in RECEIVED_FOLDERS
    )


def has_sibling(path: str, ending: str, other: str, others: Collection[str]) -> bool:
    before, dot, extension = path.rpartition(".")
    return f"{before.removesuffix(ending)}{other}{dot}{extension}" in others


def _has_later_attempt(path: str, stem: str, others: Collection[str]) -> bool:
    match = _ATTEMPT.match(stem)
    if match is None:
        return False
    before, dot, extension = path.rpartition(".")
    if not dot:
        return False
    start = before[: len(before) - len(stem)]
    later = int(match["number"] or 1) + 1
    return f"{start}{match['name']} (attempt {later}){dot}{extension}" in others
