"""Names of variants and of their files."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.capture import ALL_VARIANTS, DEVICES, Variant, file_name

VARIANTS = st.sampled_from(ALL_VARIANTS)


def test_there_are_six_variants_with_the_sizes_of_their_devices() -> None:
    sizes = {str(variant): tuple(DEVICES[variant.device]) for variant in ALL_VARIANTS}
    assert sizes == {
        "light-phone": (390, 844),
        "light-tablet": (820, 1180),
        "light-desktop": (1440, 900),
        "dark-phone": (390, 844),
        "dark-tablet": (820, 1180),
        "dark-desktop": (1440, 900),
    }


def test_an_ordinary_story_keeps_its_id_in_the_file_name() -> None:
    name = file_name("forms-knopf--größe-2", Variant("dark", "phone"))
    assert name == "forms-knopf--größe-2--dark-phone.png"


@given(story_id=st.text(min_size=1), variant=VARIANTS)
def test_no_story_id_leads_out_of_the_folder(story_id: str, variant: Variant) -> None:
    name = file_name(story_id, variant)
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name.endswith(f"--{variant}.png")
    assert name.count(".") == 1


@given(ids=st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True), variant=VARIANTS)
def test_two_stories_never_share_a_file(ids: list[str], variant: Variant) -> None:
    assert file_name(ids[0], variant) != file_name(ids[1], variant)
