"""Settings of single stories, configured outside of the stories."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from visual_review.client.capture.variants import Variant
from visual_review.variants import Device, Theme


@dataclass(frozen=True, slots=True)
class StoryRule:
    """For the stories whose ID matches one of ``ids``; None and empty leave a setting unchanged."""

    ids: tuple[str, ...]
    themes: tuple[Theme, ...] = ()
    devices: tuple[Device, ...] = ()
    skip: bool | None = None
    delay: float | None = None
    threshold: float | None = None

    def parameters(self, variant: Variant) -> dict[str, Any]:
        """Return the rule as the parameters ``visualReview`` of a story in this variant."""
        values = {"skip": self.skip, "delay": self.delay, "threshold": self.threshold}
        given: dict[str, Any] = {name: each for name, each in values.items() if each is not None}
        excluded = (self.themes and variant.theme not in self.themes) or (
            self.devices and variant.device not in self.devices
        )
        return given | {"skip": True} if excluded else given


def override_parameters(rules: Sequence[StoryRule], story: str, variant: Variant) -> dict[str, Any]:
    """Return the parameters to replace in the story; of several rules the last one wins."""
    overrides: dict[str, Any] = {}
    for rule in rules:
        if any(fnmatchcase(story, pattern) for pattern in rule.ids):
            overrides |= rule.parameters(variant)
    return overrides
