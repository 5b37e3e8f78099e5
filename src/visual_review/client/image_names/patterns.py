"""Patterns written by users for names, such as ``{story}-{theme}-{browser}``."""

import re
from dataclasses import dataclass
from typing import Final

from visual_review.client.image_names.readers import NameParts, list_places, split_path
from visual_review.client.image_names.variant_terms import DEVICES, MODELS, THEMES, VariantTerms

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
