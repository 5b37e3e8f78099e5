import re
import unicodedata

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.accounts.invisible_characters import is_invisible
from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.names import (
    BRANCH_PATTERN,
    FULL_NAME_PATTERN,
    PRODUCT_PATTERN,
    check_branch,
    check_full_name,
    check_product_key,
    is_same_name,
)

segments = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}", fullmatch=True)


# Greek, Chinese, Arabic, Hebrew, Hindi with a joiner, Thai, an emoji of four, combining marks.
WORDS_OF_ANY_SCRIPT = (
    *("ελληνικά", "界面", "واجهة", "ממשק", "क्\u200dष", "ส่วนติดต่อ"),
    *("👩\u200d💻", "e\u0301te\u0301", "Å", "ǆ", "ﬁ"),
)


# Persian, Bengali, Sinhala, a flag of four characters, a heart that is an emoji, a keycap.
JOINED = (
    *("نمی\u200cشود", "র\u200d্য", "ශ්\u200dරී"),
    *("🏳\ufe0f\u200d🌈", "❤\ufe0f", "1\ufe0f\u20e3", "👩🏽\u200d💻"),
)
HIDDEN = (
    *("web\u3164", "web\uffa0", "web\u2800", "web\ufe0f", "web\u034f", "web\u180b", "a\u17b4"),
    *("web\U000e0041", "w\u200deb", "w\u200ceb", "w\ufe0feb", "web\u200d", "\u200d", "\u0301"),
    *("\ud800", "\u115f", "web\U0001d159", "日\u200d本", "क्\u200d", "❤\ufe0f\ufe0f", "👩\u200d"),
    *("نمی\u200dشود", "می\u200c", "web\u2065", "web\ufffc", "web\U000e01ef", "\u20e3"),
)
# Names refused only by the checks: the patterns cannot express the rule in both languages.
BEYOND_PATTERNS = re.compile("[\u200c\u200d\ufe0f\ud800-\udfff\U00010000-\U0010ffff]")


def allowed(check: object, text: str) -> bool:
    try:
        check(text)  # type: ignore[operator]
    except InvalidInputError:
        return False
    return True


@given(st.lists(segments, min_size=2, max_size=6))
def test_owners_may_nest(parts: list[str]) -> None:
    assert check_full_name("/".join(parts)) == "/".join(parts)


@given(st.text())
@example("a/b\n")
@example("a/..")
@example("./b")
@example("a//b")
@example("a/b\u202e")
@example("a/b\u200f")
@example("a/\u00a0")
@example("a/b\u200b")
@example("a\u3000b/c")
@example("日本/…")
def test_a_valid_full_name_is_a_safe_path(text: str) -> None:
    if allowed(check_full_name, text):
        parts = text.split("/")
        assert len(parts) >= 2
        ascii_characters = "".join(sign for sign in text if sign.isascii())
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", ascii_characters, re.ASCII)
        assert not {".", "..", ""} & set(parts)
        assert not any(part.isspace() or "\n" in part for part in parts)
        assert not any(unicodedata.category(sign) in {"Cc", "Zs", "Zl", "Zp"} for sign in text)
        assert text == show_bidi_controls(text)


@pytest.mark.timeout(60)
def test_an_invalid_full_name_of_many_segments_is_refused_at_once() -> None:
    # A pattern that matches a segment in several ways tries all their combinations, for hours.
    assert not allowed(check_full_name, "/".join(["segment"] * 35) + "!")


def test_common_branch_names_are_valid(case: Case) -> None:
    for name in (
        "main",
        "feature/x",
        "dependabot/npm_and_yarn/@scope/a-1.2",
        "größe",
        "a.b",
        "#1",
        "x" * 255,
    ):
        with case(name):
            assert check_branch(name) == name


@given(st.text())
@example("a\n")
@example("a\u2028b")
@example("a\u202eb")
@example("x" * 256)
def test_a_valid_branch_can_be_shown_and_stored(text: str) -> None:
    if allowed(check_branch, text):
        assert 1 <= len(text) <= 255
        assert not any(unicodedata.category(sign) == "Cc" for sign in text)
        assert not set(text) & set(" ~^:?*[\\\u2028\u2029\u202a\u202b\u202c\u202d\u202e")
        assert "" not in text.split("/")


@given(st.text(max_size=80))
@example("a")
@example("A")
@example("-a")
@example("a" * 65)
@example("a\n")
@example("É")
@example("日本語")
@example("a\u202e")
def test_product_keys_of_ascii_have_only_simple_characters(text: str) -> None:
    ours = allowed(check_product_key, text)
    if text.isascii():
        plain = re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", text, re.ASCII) is not None
        assert ours == plain
    elif ours:
        others = "".join(sign for sign in text if sign.isascii())
        assert re.fullmatch(r"[a-z0-9._-]*", others, re.ASCII)
        assert len(text) <= 64
        assert text == show_bidi_controls(text)


def test_names_of_any_script_are_accepted_as_they_are(case: Case) -> None:
    for word in (*WORDS_OF_ANY_SCRIPT, *JOINED):
        with case(ascii(word)):
            assert check_full_name(f"{word}/{word}.{word}") == f"{word}/{word}.{word}"
            assert check_branch(f"{word}/{word}") == f"{word}/{word}"
            assert check_product_key(f"{word}-{word}") == f"{word}-{word}"


def test_names_with_invisible_characters_are_refused(case: Case) -> None:
    for word in HIDDEN:
        with case(ascii(word)):
            assert not allowed(check_product_key, word)
            assert not allowed(check_full_name, f"acme/{word}")
            assert not allowed(check_full_name, f"{word}/web")
            assert not allowed(check_full_name, f"acme/{word}/web")


@given(st.text(min_size=1, max_size=8) | st.text("aé日ی क्👩❤\u200c\u200d\ufe0f.", max_size=5))
def test_each_part_of_a_valid_name_has_a_visible_character(text: str) -> None:
    if allowed(check_product_key, text) or allowed(check_full_name, f"{text}/{text}"):
        shown = [each for each in text if unicodedata.category(each)[0] in "LNSPC"]
        assert any(not is_invisible(each) and each != "." for each in shown)


def test_only_the_case_of_ascii_is_ignored() -> None:
    assert is_same_name("Acme/Web", "aCME/wEB")
    for one, other in (
        ("straße/web", "strasse/web"),
        ("\u212aelvin/web", "kelvin/web"),
        ("ﬁ/web", "fi/web"),
        ("e\u0301/web", "é/web"),
    ):
        assert not is_same_name(one, other)
        assert is_same_name(one, one)


@given(st.text(min_size=1, max_size=60) | st.lists(segments | st.text(max_size=3)).map("/".join))
def test_the_published_patterns_match_the_checks(text: str) -> None:
    for pattern, check in (
        (FULL_NAME_PATTERN, check_full_name),
        (BRANCH_PATTERN, check_branch),
        (PRODUCT_PATTERN, check_product_key),
    ):
        published = jsonschema_rs.Draft202012Validator({"type": "string", "pattern": pattern})
        if len(text) <= 255:
            is_marked = any(unicodedata.category(each).startswith("M") for each in text)
            if allowed(check, text) or not (is_marked or BEYOND_PATTERNS.search(text)):
                assert published.is_valid(text) == allowed(check, text)


def test_an_error_names_the_property_and_the_expected_form() -> None:
    with pytest.raises(InvalidInputError, match=r"'fullName' must have the form owner/repo"):
        check_full_name("web")
    with pytest.raises(InvalidInputError, match="'baseBranch' is longer than 255"):
        check_branch("x" * 10_000, "/baseBranch")
