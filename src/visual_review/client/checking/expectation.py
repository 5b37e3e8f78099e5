"""The changes expected by the person or agent running the check; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from visual_review.client.checking.groups import CheckedScreenshot
from visual_review.client.transport.errors import InputError
from visual_review.variants import DEVICES, THEMES

NOTHING: Final = "none"


@dataclass(frozen=True, slots=True)
class Expectation:
    """Patterns of stories, and the themes and devices expected to change; empty means all.

    With ``is_given`` False, any change counts.
    """

    is_given: bool = False
    patterns: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()

    def covers(self, shot: CheckedScreenshot) -> bool:
        """Whether the change is expected. A failure never is."""
        variant = shot.variant
        return (
            self.is_given
            and shot.state != "failed"
            and any(matches(pattern, shot) for pattern in self.patterns)
            and (not self.themes or variant.theme in self.themes)
            and (not self.devices or variant.device in self.devices)
        )

    def find_unused(self, shots: Sequence[CheckedScreenshot]) -> list[str]:
        """Return the patterns without a changed screenshot."""
        return [each for each in self.patterns if not any(matches(each, shot) for shot in shots)]


def matches(pattern: str, shot: CheckedScreenshot) -> bool:
    """Whether the pattern matches the story's ID, or adjoining parts of the story's title.

    ``Button*`` matches the title ``Forms/Button/Primary`` and every story of ``Forms/ButtonGroup``.
    Upper and lower case are the same.
    """
    wanted = pattern.casefold()
    parts = shot.title.casefold().split("/")
    runs = {
        "/".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    }
    return any(fnmatchcase(name, wanted) for name in (shot.story_id.casefold(), *runs))


def parse_expectation(patterns: Sequence[str], variants: Sequence[str]) -> Expectation:
    """Return the combination of ``--expect`` and ``--expect-only``. Raises InputError."""
    unknown = [each for each in variants if each not in (*THEMES, *DEVICES)]
    if unknown:
        known = ", ".join((*THEMES, *DEVICES))
        raise InputError(f"--expect-only {unknown[0]}: choose from {known}.")
    if NOTHING in patterns:
        if len(patterns) > 1 or variants:
            raise InputError("--expect none cannot be combined with other expectations.")
        return Expectation(is_given=True)
    return Expectation(
        is_given=bool(patterns or variants),
        # Of all stories, if only variants are named.
        patterns=tuple(patterns) or ("*",),
        themes=tuple(each for each in variants if each in THEMES),
        devices=tuple(each for each in variants if each in DEVICES),
    )
