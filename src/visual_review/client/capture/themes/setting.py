"""How the theme of a Storybook is switched, and the findings about the theme."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from visual_review.client.capture.errors import CaptureError
from visual_review.variants import Theme

ThemeKind = Literal["global", "dark-mode-addon", "class", "attribute", "media"]
Value = str | int | float | bool | None
# The default element for class names and attributes of a theme.
ROOT: Final = "html"
LONGEST_TEXT: Final = 200
MOST_STORIES: Final = 300_000
WAY_OUT: Final = (
    " Name the theme in [capture.themes] of visual-review.toml, or capture only the light theme if "
    "there is no other."
)
INTERRUPTED: Final = (
    " The search for the theme was not completed: its sampled stories broke their pages. What the "
    "Storybook declares was used."
)


@dataclass(frozen=True, slots=True)
class ThemeSetting:
    """One way to switch the theme.

    In addition the browser always prefers the theme.
    """

    kind: ThemeKind
    # The name of the global or attribute.
    name: str = ""
    # A value of the global or attribute, or class names separated by spaces. None leaves the
    # attribute or class away.
    light: Value = None
    # Like ``light``.
    dark: Value = None
    # A selector of the elements with the class names or attributes.
    target: str = ROOT

    @property
    def is_stored(self) -> bool:
        """Whether the page reads the theme from its storage at the start."""
        return self.kind == "dark-mode-addon"

    def describe(self, theme: Theme = "dark") -> str:
        """Return how ``theme`` is set, such as "global `theme` = night"."""
        value = format_value(self.dark if theme == "dark" else self.light)
        match self.kind:
            case "global":
                return f"global `{self.name}` = {value}"
            case "attribute":
                return f"attribute `{self.name}` = {value} on `{self.target}`"
            case "class":
                return f"class `{value}` on `{self.target}`"
            case "dark-mode-addon":
                return "the add-on storybook-dark-mode"
            case "media":
                return "prefers-color-scheme"

    def to_json(self) -> dict[str, Value]:
        return asdict(self)


MEDIA: Final = ThemeSetting("media")


@dataclass(frozen=True, slots=True)
class ThemePairs:
    """How many pairs of a light and a dark image were compared, and how many are equal."""

    compared: int = 0
    equal: int = 0

    @property
    def different(self) -> int:
        return self.compared - self.equal

    @property
    def all_equal(self) -> bool:
        return 0 < self.compared == self.equal


@dataclass(frozen=True, slots=True)
class ThemeFinding:
    """The setting of a capture, with a proof."""

    setting: ThemeSetting
    # On how many sampled stories the setting changes pixels.
    changed: int = 0
    sampled: int = 0
    # Whether a user chose the setting, which is then used even without proof.
    configured: bool = False
    # Ways tried without success.
    tried: tuple[str, ...] = ()
    # The captured images of both themes.
    pairs: ThemePairs = ThemePairs()
    # Whether a newly loaded page is light already, so that nothing is set for light.
    starts_light: bool = False
    # Whether stories broke all pages of the search, so that only declarations are known.
    interrupted: bool = False
    # Of the sources of the Storybook's preview; empty if unknown.
    preview_hash: str = ""

    @property
    def setting_for_light(self) -> ThemeSetting:
        return MEDIA if self.starts_light else self.setting

    @property
    def proved(self) -> bool:
        return self.changed > 0 or self.pairs.different > 0

    @property
    def matters(self) -> bool:
        """Whether there is anything to say: with one theme, the browser's preference is enough."""
        return self.setting.kind != "media" or self.pairs.compared > 0

    @property
    def is_printed(self) -> bool:
        """Whether to print the finding; a note of its own says that all images are equal."""
        found_nothing = self.setting.kind == "media" and self.pairs.all_equal
        return self.interrupted or (self.matters and (not found_nothing or bool(self.tried)))

    def with_pairs(self, pairs: ThemePairs) -> "ThemeFinding":
        return replace(self, pairs=pairs)

    def is_same_way(self, other: "ThemeFinding") -> bool:
        """Return whether both switch the theme alike, as far as the written evidence shows."""
        return all(
            self.to_json()[name] == other.to_json()[name]
            for name in ("kind", "name", "light", "dark", "target")
        )

    def describe(self) -> str:
        """Return the line for a capture to print."""
        return f"{self._describe_way()}{INTERRUPTED if self.interrupted else ''}"

    def _describe_way(self) -> str:
        way = self.setting.describe()
        source = ", configured" if self.configured else ""
        if self.changed:
            proof = f"proved on {self.changed} of {count_stories(self.sampled)}"
            return f"Dark theme: {way}{source}, {proof}.{self._describe_equal_images()}"
        if different := self.pairs.different:
            proof = f"{different} of {self.pairs.compared} dark images differ from the light ones"
            return f"Dark theme: {way}{source}; {proof}."
        if self.setting.kind == "media":
            return self._describe_nothing()
        return (
            f"Dark theme: {way}{source or ' as the Storybook declares it'}, but light and dark are "
            f"the same on {count_stories(self.sampled)}.{WAY_OUT}"
        )

    def _describe_equal_images(self) -> str:
        return (
            f" Yet all dark images equal the light ones.{WAY_OUT}" if self.pairs.all_equal else ""
        )

    def _describe_nothing(self) -> str:
        tried = f" Tried: {', '.join(self.tried)}." if self.tried else ""
        same = "all dark images equal the light ones" if self.pairs.compared else "not proved"
        return f"Dark theme: none was found; {same}.{tried}{WAY_OUT}"

    def to_json(self) -> dict[str, Any]:
        """Return the evidence for ``--json`` and for the server."""
        return {
            "kind": self.setting.kind,
            "name": self.setting.name,
            "light": _evidence_value(self.setting.light),
            "dark": _evidence_value(self.setting.dark),
            "target": self.setting.target,
            "configured": self.configured,
            "changedStories": self.changed,
            "sampledStories": self.sampled,
            "differentPairs": self.pairs.different,
            "comparedPairs": self.pairs.compared,
            "interrupted": self.interrupted,
            "previewHash": self.preview_hash,
        }


def read_finding(body: Mapping[str, Any]) -> ThemeFinding:
    """Return the finding written by ``to_json``. Raises ``ValueError`` for another object."""
    kinds: tuple[ThemeKind, ...] = ("global", "dark-mode-addon", "class", "attribute", "media")
    kind = next((each for each in kinds if each == body.get("kind")), None)
    different, compared = (_count(body, name) for name in ("differentPairs", "comparedPairs"))
    if kind is None:
        raise ValueError("themes.kind is not one of those that a capture writes")
    texts = {name: _text(body, name) for name in ("name", "light", "dark", "target")}
    setting = ThemeSetting(kind, **texts)
    pairs = ThemePairs(compared, max(0, compared - different))
    return ThemeFinding(
        setting,
        _count(body, "changedStories"),
        _count(body, "sampledStories"),
        configured=body.get("configured") is True,
        pairs=pairs,
        interrupted=body.get("interrupted") is True,
        preview_hash=_text(body, "previewHash"),
    )


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError(f"themes.{name} is not a string of at most {LONGEST_TEXT} characters")
    return value


def _count(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_STORIES:
        raise ValueError(f"themes.{name} is not a number of stories")
    return value


def _evidence_value(value: Value) -> str:
    return "" if value is None else format_value(value)[:LONGEST_TEXT]


def format_value(value: Value) -> str:
    """Return a value as authors of stories write it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def count_stories(number: int) -> str:
    return f"{number} sampled {'story' if number == 1 else 'stories'}"


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
