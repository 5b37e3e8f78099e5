"""Render the Markdown of comments as safe HTML: only known tags and attributes."""

from html import escape
from html.parser import HTMLParser
from typing import Final

from markdown_it import MarkdownIt

ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    "a": frozenset({"href"}),
    "img": frozenset({"src", "alt", "width", "height"}),
    **dict.fromkeys(
        (
            *("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong"),
            *("ul", "ol", "li", "br", "hr", "s", "details", "summary"),
            *("table", "thead", "tbody", "tr", "th", "td"),
        ),
        frozenset[str](),
    ),
}
URL_ATTRIBUTES: Final = frozenset({"href", "src"})
VOID: Final = frozenset({"img", "br", "hr"})
# Their content is not text for readers.
HIDDEN: Final = frozenset({"script", "style", "template", "textarea", "title"})


class _Cleaner(HTMLParser):
    """Writes allowed markup; drops comments and everything else."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.written: list[str] = []
        self._open: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in HIDDEN
        if tag not in ATTRIBUTES:
            return
        kept = [
            f' {name}="{escape(value)}"'
            for name, value in attrs
            if value is not None and name in ATTRIBUTES[tag] and _is_safe(name, value)
        ]
        self.written.append(f"<{tag}{''.join(kept)}>")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in HIDDEN and self._hidden > 0
        if tag not in self._open:
            return
        while (last := self._open.pop()) != tag:
            self.written.append(f"</{last}>")
        self.written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.written.append(escape(data))

    def finish(self) -> str:
        self.close()
        self.written += [f"</{tag}>" for tag in reversed(self._open)]
        return "".join(self.written)


def render_comment(text: str) -> str:
    """Return safe HTML of a comment."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    cleaner = _Cleaner()
    cleaner.feed(markdown.render(text))
    return cleaner.finish()


def _is_safe(name: str, value: str) -> bool:
    return name not in URL_ATTRIBUTES or value.startswith(("https://", "http://"))
