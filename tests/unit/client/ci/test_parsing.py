import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.ci import CiError, parse_shard
from visual_review.client.ci.parsing import (
    MESSAGE_LENGTH,
    NONCE_LENGTH,
    first_line,
    fork_of,
    nonce_of,
    number_of,
    part,
    repository_of,
)

WORD = st.text("abcdefgXYZ0189-_", min_size=1, max_size=20)


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_every_shard_within_its_total_is_read_back(one: int, other: int) -> None:
    shard, shards = sorted((one, other))
    assert parse_shard(f"{shard}/{shards}") == (shard, shards)


@given(st.text(max_size=20))
def test_a_shard_is_within_its_total_or_refused_in_words(text: str) -> None:
    try:
        shard, shards = parse_shard(text)
    except CiError:
        return
    assert 1 <= shard <= shards


def test_no_part_of_a_whole_is_refused(case: Case) -> None:
    for text in ("0/3", "4/3", "1/0", "1", "1/2/3", "-1/2", "\u0661/\u0662", "1/99999"):
        with case(text), pytest.raises(CiError):
            parse_shard(text)


@given(st.text(max_size=12), st.text(max_size=12), st.sampled_from([0, 1]))
def test_a_providers_numbers_are_a_part_or_the_whole(index: str, total: str, first: int) -> None:
    shard, shards = part(index, total, first)
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
        assert repository_of(remote) == expected


@given(st.text(max_size=60))
def test_any_text_is_a_repository_or_none(text: str) -> None:
    repository = repository_of(text)
    assert repository == "" or all(repository.split("/"))


def test_a_path_of_the_machine_is_no_repository(case: Case) -> None:
    for remote in ("/srv/git/shop.git", "../shop", "", "C:/git", "https://[", "x:y"):
        with case(repr(remote)):
            assert repository_of(remote) == ""


def test_sub_groups_are_kept_and_azure_addresses_read() -> None:
    assert repository_of("https://gitlab.com/acme/web/shop.git") == "acme/web/shop"
    assert repository_of("https://dev.azure.com/acme/web/_git/shop") == "acme/web/shop"


def test_letters_in_another_case_make_no_fork() -> None:
    assert fork_of("Acme/Shop", "acme/shop") == ""
    assert fork_of("someone/shop", "acme/shop") == "someone/shop"


@given(st.lists(st.text(min_size=1, max_size=150), min_size=1, max_size=4))
def test_a_nonce_fits_and_long_ones_stay_apart(parts: list[str]) -> None:
    nonce = nonce_of(*parts)
    assert 0 < len(nonce) <= NONCE_LENGTH
    assert nonce_of(*parts) == nonce
    longer = nonce_of(*parts, "x" * NONCE_LENGTH)
    assert longer not in (nonce, nonce_of(*parts, "y" * NONCE_LENGTH))


def test_a_nonce_with_a_missing_part_is_none() -> None:
    assert nonce_of("gitlab", "") == ""


@given(st.text(max_size=700))
def test_a_message_is_one_short_line(text: str) -> None:
    line = first_line(text)
    assert len(line) <= MESSAGE_LENGTH
    assert len(line.splitlines()) <= 1


def test_only_a_positive_number_is_one(case: Case) -> None:
    for text, number in (("12", 12), ("false", None), ("", None), ("0", None), ("\u0663", None)):
        with case(repr(text)):
            assert number_of(text) == number
