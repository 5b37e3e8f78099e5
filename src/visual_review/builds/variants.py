"""A story's variants: theme and device; pure."""

from typing import NamedTuple


class VariantKey(NamedTuple):
    """A story in one theme on one device."""

    story_id: str
    theme: str
    device: str

    @property
    def variant(self) -> tuple[str, str]:
        return (self.theme, self.device)


class Variant(NamedTuple):
    theme: str
    device: str
