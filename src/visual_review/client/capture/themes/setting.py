"""How the theme of a Storybook is switched, and what was found out about it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from visual_review.client.capture.variants import Theme

ThemeKind = Literal["global", "dark-mode-addon", "class", "attribute", "media"]
Value = str | int | float | bool | None
# The element that class names and attributes of a theme are set on, unless something else is said.
ROOT: Final = "html"


@dataclass(frozen=True, slots=True)
class ThemeSetting:
    """One way to switch the theme.

    ``name`` is that of the global or attribute; ``light`` and ``dark`` are values of it, or class
    names separated by spaces, which are set on the elements that ``target`` selects. A value None
    leaves the attribute or class away. In addition the browser always prefers the theme.
    """

    kind: ThemeKind
    name: str = ""
    light: Value = None
    dark: Value = None
    target: str = ROOT

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
class ThemeFinding:
    """The setting of a capture, with its proof: on how many sampled stories it changes pixels.

    ``configured``: someone chose it, so it is used even without proof. ``tried`` describes the
    ways that were tried without success.
    """

    setting: ThemeSetting
    changed: int = 0
    sampled: int = 0
    configured: bool = False
    tried: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return self.changed > 0

    def describe(self) -> str:
        """Return the line that a capture prints."""
        way, stories = self.setting.describe(), count_stories(self.sampled)
        if self.proved:
            source = ", configured" if self.configured else ""
            return f"Dark theme: {way}{source}, proved on {self.changed} of {stories}."
        if not self.sampled:
            return f"Dark theme: {way}, {'configured' if self.configured else 'not proved'}."
        if self.configured:
            return (
                f"Dark theme: {way}, configured, but light and dark are the same on {stories}. "
                "Correct it in visual-review.toml or the options."
            )
        if self.setting.kind != "media":
            return (
                f"Dark theme: {way} as the Storybook declares it, but light and dark are the "
                f"same on {stories}."
            )
        tried = f" Tried: {', '.join(self.tried)}." if self.tried else ""
        return (
            f"Dark theme: none was found; light and dark are the same on {stories}.{tried} If "
            "there is one, name it in [capture.themes] of visual-review.toml; if not, capture "
            "only the light theme."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as it is printed with ``--json`` and sent to the server."""
        return {
            "kind": self.setting.kind,
            "name": self.setting.name,
            "light": _evidence_value(self.setting.light),
            "dark": _evidence_value(self.setting.dark),
            "target": self.setting.target,
            "changed": self.changed,
            "sampled": self.sampled,
            "configured": self.configured,
        }


def read_finding(body: Mapping[str, Any]) -> ThemeFinding:
    """Return the finding that ``to_json`` wrote. Raises ``ValueError`` if it is another object."""
    kinds: tuple[ThemeKind, ...] = ("global", "dark-mode-addon", "class", "attribute", "media")
    kind = next((each for each in kinds if each == body.get("kind")), None)
    changed, sampled = body.get("changed"), body.get("sampled")
    if kind is None or not _is_count(changed) or not _is_count(sampled):
        raise ValueError("themes is not what a capture writes")
    texts = {name: _text(body, name) for name in ("name", "light", "dark", "target")}
    setting = ThemeSetting(kind, **texts)
    return ThemeFinding(setting, changed, sampled, body.get("configured") is True)


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError(f"themes.{name} is not a string of at most {LONGEST_TEXT} characters")
    return value


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_STORIES


LONGEST_TEXT: Final = 200
MOST_STORIES: Final = 1000


def _evidence_value(value: Value) -> str:
    return "" if value is None else format_value(value)[:LONGEST_TEXT]


def format_value(value: Value) -> str:
    """Return a value as authors of stories write it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def count_stories(number: int) -> str:
    return f"{number} sampled {'story' if number == 1 else 'stories'}"
