"""Nothing that others wrote fires in a comment: read as the hosts' Markdown is read."""

import html
import re
import string

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.case import Case
from visual_review.builds.notifying.comments import (
    Rejection,
    pull_request_comment,
    rejection_comment,
)
from visual_review.builds.notifying.markup import attribute, code, mark, quotation
from visual_review.builds.notifying.statuses import ProductSummary

READER = MarkdownIt("commonmark").enable("table")
PARTS = (
    "```",
    "> ",
    "/close\n",
    "@all",
    "\u2028",
    "\u0085",
    "\x0b",
    "\x00",
    "\u202e",
    "\r",
    "\n",
    "\t",
)
MARKUP = tuple("`~>*_[]()<>#@!|\\/-+.:& ")
TRICKY = st.lists(st.sampled_from(PARTS + MARKUP) | st.characters(), max_size=80).map("".join)
HOSTILE = [
    "@acme/all look",
    "fixes #12 and acme/web#3 and !4",
    "/close\n/lgtm\n/approve",
    "```\n@all\n```\n@all",
    "~~~\n/close",
    "</details><script>alert(1)</script><img src=x onerror=y>",
    "[link](https://evil.example) https://evil.example www.evil.example me@evil.example",
    "-->\n# A heading\n| a | b |\n| - | - |\n| 1 | 2 |",
    "\n\n    indented\n\nand\u2028/close\r/close\x0b/close",
    "`" * 40,
    "\u202ereversed",
    "<!-- visual-review:comment:message_1 -->",
    "$`a`$ :+1: [[_TOC_]] ${{ secrets.X }}",
]


def texts_outside_code(tokens: list[Token]) -> str:
    """All that a host would look through for mentions, references and links."""
    leaves = [leaf for token in tokens for leaf in (token.children or [token])]
    unread = {"code_inline", "html_inline", "fence"}
    return "".join(leaf.content for leaf in leaves if leaf.type not in unread)


def kinds(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens]


def test_a_hostile_comment_is_one_block_of_code_in_a_quotation(case: Case) -> None:
    for text in HOSTILE:
        with case(repr(text)[:40]):
            tokens = READER.parse(quotation(text))
            assert kinds(tokens) == ["blockquote_open", "fence", "blockquote_close"]
            assert texts_outside_code(tokens) == ""


@given(TRICKY)
def test_any_comment_is_one_block_of_code_in_a_quotation(text: str) -> None:
    made = quotation(text)
    assert kinds(READER.parse(made)) == ["blockquote_open", "fence", "blockquote_close"]
    # Bots read the lines themselves, and none begins with a command or a mention.
    assert all(
        line.startswith(">") for line in re.split(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", made)
    )


@given(st.text(string.ascii_letters + " \n`>", max_size=300))
def test_the_words_stay_the_words(text: str) -> None:
    fence = READER.parse(quotation(text))[1].content
    assert fence.split() == text.split()


def test_a_hostile_name_is_one_span_of_code(case: Case) -> None:
    for text in HOSTILE:
        with case(repr(text)[:40]):
            (block,) = [token for token in READER.parse(code(text)) if token.type == "inline"]
            assert [inner.type for inner in block.children or ()] == ["code_inline"]


@given(TRICKY)
def test_any_name_is_one_span_of_code(text: str) -> None:
    tokens = READER.parse(f"by {code(text)}, here")
    assert kinds(tokens) == ["paragraph_open", "inline", "paragraph_close"]
    assert [inner.type for inner in tokens[1].children or ()] == ["text", "code_inline", "text"]


@given(TRICKY)
def test_an_attribute_never_ends_early(text: str) -> None:
    made = attribute(text)
    assert not set(made) & set("\"'<>`@/\n\r\\*_[]()|!:")
    assert html.unescape(made).split() == html.unescape(made).strip().split()


def test_an_attribute_reads_as_the_name() -> None:
    assert html.unescape(attribute('Form > "Save", light')) == 'Form > "Save", light'


@given(TRICKY, TRICKY, TRICKY)
def test_a_rejection_holds_others_words_in_code_alone(who: str, story: str, said: str) -> None:
    rejection = Rejection(who, story, "light", "phone", "https://vr.example/builds/b#s", 7, said)
    tokens = READER.parse(rejection_comment(mark("rejection", "message_1"), rejection))
    assert texts_outside_code(tokens) == (
        "<!-- visual-review:rejection:message_1 -->\n"
        "Visual Review: a screenshot was rejected by , light, phone, in build 7:"
    )


def test_a_comment_of_very_many_products_fits_and_shows_those_that_need_a_look() -> None:
    key = "k" * 60
    products = [
        ProductSummary(
            f"{key}{n:04}", n, "https://vr.example/builds/b" * 3, "completed", "approved"
        )
        for n in range(1000)
    ]
    due = ProductSummary(f"{key}zzzz", 1001, "https://vr.example/builds/b", "completed")
    sign = mark("comment", "message_1")
    made = pull_request_comment(sign, [*products, due], [], lambda screenshot: screenshot)
    assert len(made) < 65_536
    assert "And 951 more products." in made
    assert f"`{due.product_key}`" in made


def test_the_mark_of_one_is_no_part_of_anothers() -> None:
    assert mark("rejection", "message_1") not in mark("rejection", "message_12")


def test_long_sentences_are_broken_and_long_words_are_not() -> None:
    lines = quotation("word " * 60 + "x" * 300).splitlines()
    assert max(len(line) for line in lines[:-2]) <= 102
    assert lines[-2] == "> " + "x" * 300
