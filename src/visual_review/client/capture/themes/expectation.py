"""An earlier build's finding about the theme, and whether this capture may differ."""

from dataclasses import dataclass, replace

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.themes.setting import ThemeFinding


class ThemeChangedError(CaptureError):
    """The theme is switched in another way than in the builds of the baseline."""


@dataclass(frozen=True, slots=True)
class ThemeExpectation:
    """The finding of the baseline's builds, if any."""

    before: ThemeFinding | None = None
    # Of the Storybook of this capture.
    preview_hash: str = ""
    # Whether the user accepts another way to switch the theme.
    accepts_change: bool = False

    @property
    def has_same_preview(self) -> bool:
        known = self.before is not None and self.before.preview_hash
        return bool(known) and known == self.preview_hash

    @property
    def proved_way(self) -> ThemeFinding | None:
        """The earlier finding, if still valid for this preview."""
        before = self.before
        if before is None or not before.changed or before.interrupted:
            return None
        return before if self.has_same_preview else None

    def check(self, found: ThemeFinding) -> ThemeFinding:
        """Return ``found`` with the preview's hash.

        Raises ``ThemeChangedError`` for another way than before, unless someone chose or accepted
        the way, or the preview has changed: most light images would differ from the baseline's.
        """
        before, result = self.before, replace(found, preview_hash=self.preview_hash)
        chosen = found.configured and not found.interrupted
        if before is None or self.accepts_change or chosen or before.is_same_way(found):
            return result
        if before.preview_hash and self.preview_hash and not self.has_same_preview:
            return result
        raise ThemeChangedError(
            f"Themes were switched by {before.setting.describe()} in the builds of the baseline, "
            f"and are switched by {found.setting.describe()} now, so light and dark images may "
            "differ everywhere. If that is intended, publish with --accept-theme-change; if not, "
            "run again, or name the way in [capture.themes] of visual-review.toml."
            f"{' ' + found.describe() if found.interrupted else ''}"
        )
