"""Comments as a tree of elements; the page builds the elements without any markup.

A comment is small Markdown (CommonMark without images and HTML), and a line break is one.
"""

from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from visual_review.builds.bidi_controls import show_bidi_controls

TAGS: Final = {
    "paragraph": "p",
    "strong": "strong",
    "em": "em",
    "link": "a",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    # Headings would be louder than the page.
    "heading": "strong",
}
BREAKS: Final = frozenset({"softbreak", "hardbreak", "hr"})
# Deeper nesting is a joke, or an attack on the reader.
DEEPEST: Final = 12
_PARSER: Final = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).disable(
    ["html_block", "html_inline", "image", "reference"]
)


def encode_markdown(text: str) -> list[Any]:
    """Return strings and elements: ``{"tag": "p", "children": [...]}``, links with ``href``."""
    return _encode_all(SyntaxTreeNode(_PARSER.parse(show_bidi_controls(text))))


def _encode_all(node: SyntaxTreeNode) -> list[Any]:
    return [part for child in node.children for part in _encode(child)]


def _encode(node: SyntaxTreeNode) -> list[Any]:
    if node.type == "text":
        return [node.content] if node.content else []
    if node.type in BREAKS:
        return [{"tag": "br", "children": []}]
    if node.type == "code_inline":
        return [{"tag": "code", "children": [node.content]}]
    if node.type in {"fence", "code_block"}:
        return [{"tag": "pre", "children": [node.content]}]
    tag = TAGS.get(node.type)
    if tag is None:
        return _encode_all(node)
    href = {"href": str(node.attrs["href"])} if "href" in node.attrs else {}
    return [{"tag": tag, "children": _encode_all(node), **href}]
