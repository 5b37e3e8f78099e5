"""The members mentioned in a comment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.threads.mentions import MOST_MENTIONS, Mentions, Person, find_mentions

ANN = Person("user_ann", "Ann", "ann@example.com")
ANN_LEE = Person("user_lee", "Ann Lee", "lee@example.com")
ZOE = Person("user_zoe", "Zoë", "zoe@example.com")
OTHER_ZOE = Person("user_zoe2", "zoë", "zoe@example.org")
MEMBERS = (ANN, ANN_LEE, ZOE, OTHER_ZOE)


@pytest.mark.parametrize(
    ("text", "people", "unknown"),
    [
        ("@Ann, look", ("user_ann",), ()),
        ("Ask @ann lee.", ("user_lee",), ()),
        ("(@ANN LEE's)", ("user_lee",), ()),
        ("@Anna and @Ann-Marie", (), ("Anna", "Ann-Marie")),
        ("@lee@example.com", ("user_lee",), ()),
        ("mail ann@Ann and x/@Ann", (), ()),
        ("`@Ann` and ```@Zoë", (), ()),
        ("@ Ann and @", (), ()),
        ("@Zoë", ("user_zoe", "user_zoe2"), ()),
        ("@Ann @Zoë @Ann @media", ("user_ann", "user_zoe", "user_zoe2"), ("media",)),
    ],
)
def test_names_and_addresses_after_an_at_sign(
    text: str, people: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    assert find_mentions(text, MEMBERS) == Mentions(people, unknown)


@given(st.text(), st.sampled_from(MEMBERS), st.text())
def test_only_members_are_mentioned_and_their_names_are_found(
    before: str, person: Person, after: str
) -> None:
    ids = {each.id for each in MEMBERS}
    assert set(find_mentions(before + after, MEMBERS).people) <= ids
    assert person.id in find_mentions(f"@{person.name} {before.replace('`', '')}", [person]).people


def test_the_number_of_mentions_is_limited() -> None:
    text = " ".join(["@Ann"] * MOST_MENTIONS)
    assert find_mentions(f"{text} @Zoë", MEMBERS) == Mentions(("user_ann",))


def test_a_member_without_a_name_is_mentioned_by_address() -> None:
    unnamed = Person("user_x", "", "x@example.com")
    assert find_mentions("@x@example.com", [unnamed]).people == ("user_x",)
