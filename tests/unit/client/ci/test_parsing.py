import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.ci import CiError, parse_shard
from visual_review.client.ci.parsing import (
    MESSAGE_LENGTH,
    NONCE_LENGTH,
    detect_fork,
    first_line,
    make_nonce,
    parse_number,
    parse_repository,
    shard_from_variables,
)

WORD = st.text("abcdefgXYZ0189-_", min_size=1, max_size=20)


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_every_shard_within_its_total_is_parsed(one: int, other: int) -> None:
    shard, shards = sorted((one, other))
    assert parse_shard(f"{shard}/{shards}") == (shard, shards)


@given(st.text(max_size=20))
def test_any_text_is_a_shard_within_its_total_or_an_error(text: str) -> None:
    try:
        shard, shards = parse_shard(text)
    except CiError:
        return
    assert 1 <= shard <= shards


def test_an_invalid_shard_is_an_error(case: Case) -> None:
    for text in ("0/3", "4/3", "1/0", "1", "1/2/3", "-1/2", "\u0661/\u0662", "1/99999"):
        with case(text), pytest.raises(CiError):
            parse_shard(text)


@given(st.text(max_size=12), st.text(max_size=12), st.sampled_from([0, 1]))
def test_variables_of_a_provider_give_a_shard_within_its_total(
    index: str, total: str, first: int
) -> None:
    shard, shards = shard_from_variables(index, total, first)
    assert 1 <= shard <= shards


@given(WORD, WORD, WORD)
def test_every_way_to_write_a_remote_names_the_same_repository(
    host: str, owner: str, name: str
) -> None:
    expected = f"{owner}/{name}"
    for remote in (
        f"git@{host}:{expected}.git",
        f"https://{host}/{expected}.git",
        f"https://someone@{host}/{expected}",
        f"ssh://git@{host}:22/{expected}.git",
        f"git://{host}/{expected}.git",
    ):
        assert parse_repository(remote) == expected


@given(st.text(max_size=60))
def test_any_text_is_a_repository_or_none(text: str) -> None:
    repository = parse_repository(text)
    assert repository == "" or all(repository.split("/"))


def test_a_local_path_is_not_a_repository(case: Case) -> None:
    for remote in (
        "/srv/git/shop.git",
        "file:///srv/git/shop.git",
        "../shop",
        "",
        "C:/git",
        "https://[",
        "x:y",
    ):
        with case(repr(remote)):
            assert parse_repository(remote) == ""


def test_subgroups_are_kept_and_azure_urls_parsed() -> None:
    assert parse_repository("https://gitlab.com/acme/web/shop.git") == "acme/web/shop"
    assert parse_repository("https://dev.azure.com/acme/web/_git/shop") == "acme/web/shop"


def test_another_case_of_letters_is_not_a_fork() -> None:
    assert detect_fork("Acme/Shop", "acme/shop") == ""
    assert detect_fork("someone/shop", "acme/shop") == "someone/shop"


@given(st.lists(st.text(min_size=1, max_size=150), min_size=1, max_size=4))
def test_a_nonce_fits_and_long_ones_stay_distinct(parts: list[str]) -> None:
    nonce = make_nonce(*parts)
    assert 0 < len(nonce) <= NONCE_LENGTH
    assert make_nonce(*parts) == nonce
    longer = make_nonce(*parts, "x" * NONCE_LENGTH)
    assert longer not in (nonce, make_nonce(*parts, "y" * NONCE_LENGTH))


def test_a_nonce_with_a_missing_part_is_empty() -> None:
    assert make_nonce("gitlab", "") == ""


@given(st.text(max_size=700))
def test_a_message_is_one_short_line(text: str) -> None:
    line = first_line(text)
    assert len(line) <= MESSAGE_LENGTH
    assert len(line.splitlines()) <= 1


def test_only_a_positive_number_is_accepted(case: Case) -> None:
    for text, number in (("12", 12), ("false", None), ("", None), ("0", None), ("\u0663", None)):
        with case(repr(text)):
            assert parse_number(text) == number
