"""User-written text is inert in comments, as a Markdown parser reads them."""

import html
import re
import string

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.case import Case
from visual_review.builds.notifying.comments import (
    ChangedGroup,
    ChangedImage,
    ChangeOverview,
    Rejection,
    pull_request_comment,
    rejection_comment,
)
from visual_review.builds.notifying.markup import (
    code_span,
    comment_marker,
    escape_attribute,
    quote_block,
)
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
    """Return the text in which a provider would search for mentions, references and links."""
    leaves = [leaf for token in tokens for leaf in (token.children or [token])]
    unread = {"code_inline", "html_inline", "fence"}
    return "".join(leaf.content for leaf in leaves if leaf.type not in unread)


def kinds(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens]


def test_a_hostile_comment_is_one_code_block_in_a_quote(case: Case) -> None:
    for text in HOSTILE:
        with case(repr(text)[:40]):
            tokens = READER.parse(quote_block(text))
            assert kinds(tokens) == ["blockquote_open", "fence", "blockquote_close"]
            assert texts_outside_code(tokens) == ""


@given(TRICKY)
def test_any_comment_is_one_code_block_in_a_quote(text: str) -> None:
    comment = quote_block(text)
    assert kinds(READER.parse(comment)) == ["blockquote_open", "fence", "blockquote_close"]
    # Bots read the lines themselves, and none begins with a command or a mention.
    assert all(
        line.startswith(">") for line in re.split(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", comment)
    )


@given(st.text(string.ascii_letters + " \n`>", max_size=300))
def test_the_words_of_a_comment_are_unchanged(text: str) -> None:
    fence = READER.parse(quote_block(text))[1].content
    assert fence.split() == text.split()


def test_a_hostile_name_is_one_code_span(case: Case) -> None:
    for text in HOSTILE:
        with case(repr(text)[:40]):
            (block,) = [token for token in READER.parse(code_span(text)) if token.type == "inline"]
            assert [inner.type for inner in block.children or ()] == ["code_inline"]


@given(TRICKY)
def test_any_name_is_one_code_span(text: str) -> None:
    tokens = READER.parse(f"by {code_span(text)}, here")
    assert kinds(tokens) == ["paragraph_open", "inline", "paragraph_close"]
    assert [inner.type for inner in tokens[1].children or ()] == ["text", "code_inline", "text"]


@given(TRICKY)
def test_an_attribute_never_ends_early(text: str) -> None:
    comment = escape_attribute(text)
    assert not set(comment) & set("\"'<>`@/\n\r\\*_[]()|!:")
    assert html.unescape(comment).split() == html.unescape(comment).strip().split()


def test_an_attribute_reads_as_the_name() -> None:
    assert html.unescape(escape_attribute('Form > "Save", light')) == 'Form > "Save", light'


@given(TRICKY, TRICKY, TRICKY)
def test_a_rejection_has_user_text_in_code_only(reviewer: str, story: str, comment: str) -> None:
    rejection = Rejection(
        reviewer, story, "light", "phone", "https://vr.example/builds/b#s", 7, comment
    )
    tokens = READER.parse(rejection_comment(comment_marker("rejection", "message_1"), rejection))
    assert texts_outside_code(tokens) == (
        "<!-- visual-review:rejection:message_1 -->\n"
        "Visual Review: a screenshot was rejected by , light, phone, in build 7:"
    )


def test_a_comment_on_many_products_fits_and_shows_those_that_need_a_review() -> None:
    key = "k" * 60
    products = [
        ProductSummary(
            f"{key}{n:04}", n, "https://vr.example/builds/b" * 3, "completed", "approved"
        )
        for n in range(1000)
    ]
    due = ProductSummary(f"{key}zzzz", 1001, "https://vr.example/builds/b", "completed")
    marker = comment_marker("comment", "message_1")
    comment = pull_request_comment(marker, [*products, due], ChangeOverview(), None)
    assert len(comment) < 65_536
    assert "And 951 more products." in comment
    assert f"`{due.product_key}`" in comment


@given(TRICKY, TRICKY)
def test_groups_have_user_text_in_code_and_attributes_only(name: str, story: str) -> None:
    url = "https://vr.example/builds/b#s"
    image = ChangedImage("shot_1", url, "default", story, story, "light", "phone", "changed")
    alone = ChangedGroup(name, 1, image)
    several = ChangedGroup(name, 12, image, (image,), 3)
    due = ProductSummary("default", 1, "https://vr.example/builds/b", "completed")
    overview = ChangeOverview((several, alone), more_groups=4)
    comment = pull_request_comment("<!-- m -->", [due], overview, lambda _: "https://i.example/1")
    tokens = READER.parse(comment.partition("| 0 |\n")[2].partition("[Open")[0])
    assert texts_outside_code(tokens) == (
        "12 alike: , such as , light, phone; 3 with more changes: , light, phone and 2 more"
        ", light, phone: And 4 more"
    )
    assert len(comment) < 4 * 1000 + 20 * (len(name) + len(story))


def test_a_comment_without_images_names_groups() -> None:
    image = ChangedImage(
        "shot_1", "https://vr.example/b#s", "default", "a", "A", "light", "phone", "changed"
    )
    due = ProductSummary("default", 1, "https://vr.example/builds/b", "completed")
    other = ChangedGroup("Not from this branch: unstable", 3, image, is_alike=False)
    groups = [ChangedGroup("text changed", 2, image), other]
    overview = ChangeOverview(groups, images=[image])
    comment = pull_request_comment("<!-- m -->", [due], overview, None)
    assert "- **2 alike**: `text changed`, such as `A`, light, phone" in comment

    assert "- **3 screenshots**: `Not from this branch: unstable`, such as" in comment
    assert "<img" not in comment


def test_no_marker_is_part_of_another() -> None:
    assert comment_marker("rejection", "message_1") not in comment_marker("rejection", "message_12")


def test_long_lines_are_wrapped_and_long_words_are_not() -> None:
    lines = quote_block("word " * 60 + "x" * 300).splitlines()
    assert max(len(line) for line in lines[:-2]) <= 102
    assert lines[-2] == "> " + "x" * 300
