"""Counts in how many stories the dark theme looks exactly like the light one."""

import hashlib
from typing import Final

from visual_review.client.capture.results import Shot
from visual_review.client.capture.themes import ThemePairs
from visual_review.client.capture.variants import Device

DIGEST_BYTES: Final = 16


class ThemePairCounter:
    """Compares the images of a capture as they arrive, without keeping them."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, Device], bytes] = {}
        self._compared = 0
        self._equal = 0

    def add(self, shot: Shot) -> None:
        if shot.png is None:
            return
        key = (shot.story.id, shot.variant.device)
        digest = hashlib.blake2b(shot.png, digest_size=DIGEST_BYTES).digest()
        other = self._waiting.pop(key, None)
        if other is None:
            self._waiting[key] = digest
            return
        self._compared += 1
        self._equal += other == digest

    def count(self) -> ThemePairs:
        return ThemePairs(self._compared, self._equal)
