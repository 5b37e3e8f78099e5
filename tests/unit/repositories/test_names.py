import re
import unicodedata

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.names import (
    BRANCH_PATTERN,
    FULL_NAME_PATTERN,
    check_branch,
    check_full_name,
    check_product_key,
)

segments = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}", fullmatch=True)


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
def test_a_valid_full_name_is_a_safe_path(text: str) -> None:
    if allowed(check_full_name, text):
        parts = text.split("/")
        assert len(parts) >= 2
        assert all(re.fullmatch(r"[A-Za-z0-9._-]+", part, re.ASCII) for part in parts)
        assert not {".", "..", ""} & set(parts)


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
def test_product_keys_have_only_simple_characters(text: str) -> None:
    plain = re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", text, re.ASCII) is not None
    assert allowed(check_product_key, text) == plain


@given(st.text(min_size=1, max_size=60) | st.lists(segments | st.text(max_size=3)).map("/".join))
def test_the_published_patterns_match_the_checks(text: str) -> None:
    for pattern, check in ((FULL_NAME_PATTERN, check_full_name), (BRANCH_PATTERN, check_branch)):
        published = jsonschema_rs.Draft202012Validator({"type": "string", "pattern": pattern})
        if len(text) <= 255:
            assert published.is_valid(text) == allowed(check, text)


def test_an_error_names_the_property_and_the_expected_form() -> None:
    with pytest.raises(InvalidInputError, match=r"'fullName' must have the form owner/repo"):
        check_full_name("web")
    with pytest.raises(InvalidInputError, match="'baseBranch' is longer than 255"):
        check_branch("x" * 10_000, "/baseBranch")
