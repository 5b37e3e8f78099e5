"""Names of variants and of their files."""

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from visual_review.client.capture import ALL_VARIANTS, Variant, file_name
from visual_review.client.publishing.pngs import parse_name
from visual_review.variants import DEVICES

VARIANTS = st.sampled_from(ALL_VARIANTS)


def test_there_are_six_variants_with_the_sizes_of_their_devices() -> None:
    assert DEVICES == {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
    assert [str(variant) for variant in ALL_VARIANTS] == [
        *("light-phone", "light-tablet", "light-desktop"),
        *("dark-phone", "dark-tablet", "dark-desktop"),
    ]


def test_an_ordinary_story_keeps_its_id_in_the_file_name() -> None:
    name = file_name("forms-knopf--größe-2", Variant("dark", "phone"))
    assert name == "forms-knopf--größe-2--dark-phone.png"


@given(story_id=st.text(min_size=1), variant=VARIANTS)
def test_no_story_id_leads_out_of_the_folder(story_id: str, variant: Variant) -> None:
    name = file_name(story_id, variant)
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name.endswith(f"--{variant}.png")
    assert name.count(".") == 1
    assert len(name.encode()) <= 240


NEAR_IDS = st.text("aAbBsS\u017fß\u1e9ekK\u212aéE\u0301/.%+~-", min_size=1, max_size=4)
LONG_IDS = st.builds(lambda end: "\N{GRINNING FACE}" * 299 + end, st.sampled_from("aAb/"))
IDS = st.text(min_size=1) | NEAR_IDS | LONG_IDS


@example(ids=["Button--a", "button--a"], variant=Variant("dark", "phone"))
@example(ids=["\u212a--a", "k--a"], variant=Variant("dark", "phone"))
@given(ids=st.lists(IDS, min_size=2, max_size=2, unique=True), variant=VARIANTS)
def test_two_stories_never_share_a_file_even_where_case_does_not_count(
    ids: list[str], variant: Variant
) -> None:
    first, second = (file_name(story_id, variant) for story_id in ids)
    assert first.lower() != second.lower()


@given(story_id=st.text(min_size=1, max_size=15), variant=VARIANTS)
def test_the_name_of_a_file_has_the_whole_id(story_id: str, variant: Variant) -> None:
    assert parse_name(Path(file_name(story_id, variant)).stem) == (story_id, variant)
