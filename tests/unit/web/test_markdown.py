"""Comments as trees of elements."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.web.bidi_controls import show_in_html
from visual_review.web.views.threads import encode_markdown

TAGS = {"p", "strong", "em", "a", "ul", "ol", "li", "blockquote", "br", "code", "pre"}


def p(*children: object) -> dict[str, Any]:
    return {"tag": "p", "children": list(children)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Bold**", [p({"tag": "strong", "children": ["Bold"]})]),
        ("<b>bold</b>", [p("<b>bold</b>")]),
        (
            "![x](http://example.com/x.png)",
            [p("!", {"tag": "a", "children": ["x"], "href": "http://example.com/x.png"})],
        ),
        ("[x](javascript:alert(1))", [p("[x](javascript:alert(1))")]),
        ("`a < b`", [p({"tag": "code", "children": ["a < b"]})]),
        ("one\ntwo", [p("one", {"tag": "br", "children": []}, "two")]),
        ("# Loud", [{"tag": "strong", "children": ["Loud"]}]),
        ("\u202etxt", [p("\u27e8U+202E\u27e9txt")]),
    ],
)
def test_small_markdown(text: str, expected: list[Any]) -> None:
    assert encode_markdown(text) == expected


def tags_of(parts: list[Any]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        if isinstance(part, dict):
            found |= {part["tag"]} | tags_of(part["children"])
    return found


@given(st.text(alphabet="*_`[]()!<>#-1.\n\\ a&;:/", max_size=300))
def test_any_text_has_known_elements_only(text: str) -> None:
    assert tags_of(encode_markdown(text)) <= TAGS


def test_deep_nesting_costs_nothing() -> None:
    assert encode_markdown(">" * 10_000) is not None
    assert encode_markdown("[" * 10_000) is not None


def test_text_and_visible_attributes_are_replaced() -> None:
    page = '<h1 title="a\u202eb">c\u2066d</h1><img alt="\u200f"><p>value=&quot;\u202e&quot;</p>'
    shown = '<h1 title="a⟨U+202E⟩b">c⟨U+2066⟩d</h1><img alt="⟨U+200F⟩"><p>value=&quot;⟨U+202E⟩&quot;</p>'
    assert show_in_html(page) == shown


def test_what_a_form_sends_and_a_link_names_is_kept() -> None:
    page = (
        '<input type="hidden" name="a\u202eb" value="a\u202eb"><a href="/\u202e">'
        '<textarea name="comment">one\n\u202etwo</textarea>'
    )
    assert show_in_html(page) == page
    assert show_in_html(f"{page}\u202e") == f"{page}⟨U+202E⟩"
