from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.publishing import PLAN, png
from visual_review.client.capture import ALL_VARIANTS, Variant, file_name
from visual_review.client.image_names import NamingOptions
from visual_review.client.publishing import InputError
from visual_review.client.publishing.build_images import BuildContents, Spool
from visual_review.client.publishing.image_folder import read_images
from visual_review.client.publishing.pngs import parse_name
from visual_review.client.publishing.responses import Plan
from visual_review.imagediff import Limits


def read_pngs(folder: Path, plan: Plan, *, partial: bool) -> BuildContents:
    """Read a folder as ``publish`` does; PNG needs no place for converted files."""
    return read_images(folder, plan, NamingOptions(), Spool(Path("/no/folder")), partial=partial)


# Longer names may be shortened, which only a manifest can undo.
@given(st.text(min_size=1, max_size=15), st.sampled_from(ALL_VARIANTS))
def test_a_captured_files_name_is_read_back(story: str, variant: Variant) -> None:
    name = file_name(story, variant).removesuffix(".png")
    assert parse_name(name) == (story, variant)


@given(st.text(max_size=30))
def test_any_name_is_parsed_or_rejected(stem: str) -> None:
    parsed = parse_name(stem)
    assert parsed is None or stem.endswith(f"--{parsed[1]}")


def test_a_folder_gives_entries_files_and_the_variants_that_occur(tmp_path: Path) -> None:
    (tmp_path / "button--primary--light-desktop.png").write_bytes(png(4, 3))
    (tmp_path / "forms").mkdir()
    (tmp_path / "forms" / "input--empty--light-phone.PNG").write_bytes(png(5, 6))
    (tmp_path / "forms" / "._input--empty--light-phone.png").write_bytes(b"left behind")
    (tmp_path / "notes.txt").write_text("not an image")
    contents = read_pngs(tmp_path, PLAN, partial=False)
    assert [(e.story_id, str(e.variant), e.width, e.height) for e in contents.entries] == [
        ("button--primary", "light-desktop", 4, 3),
        ("input--empty", "light-phone", 5, 6),
    ]
    assert (contents.themes, contents.devices) == (("light",), ("phone", "desktop"))
    assert contents.detection == ()
    assert contents.story_ids is None
    assert {contents.files[e.sha256].stem for e in contents.entries} == {
        "button--primary--light-desktop",
        "input--empty--light-phone",
    }


def test_a_partial_folder_inherits_what_it_does_not_contain(tmp_path: Path) -> None:
    (tmp_path / "input--empty--light-phone.png").write_bytes(png())
    contents = read_pngs(tmp_path, PLAN, partial=True)
    assert contents.story_ids == ["button--primary", "card--plain", "input--empty"]


def test_equal_images_are_stored_once(tmp_path: Path) -> None:
    for theme in ("light", "dark"):
        (tmp_path / f"a--b--{theme}-phone.png").write_bytes(png())
    contents = read_pngs(tmp_path, PLAN, partial=False)
    assert len(contents.entries) == 2
    assert len(contents.files) == 1


def test_all_invalid_names_are_listed_with_the_expected_format(tmp_path: Path) -> None:
    (tmp_path / "button.png").write_bytes(png())
    (tmp_path / "button--primary--sepia-desktop.png").write_bytes(png())
    (tmp_path / "ok--ok--light-desktop.png").write_bytes(png())
    with pytest.raises(InputError) as caught:
        read_pngs(tmp_path, PLAN, partial=False)
    message = str(caught.value)
    assert "2 files" in message
    assert "button.png" in message
    assert "sepia" in message
    assert "button--primary--light-desktop.png" in message


def test_the_same_story_and_variant_in_two_folders_is_an_error(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a--b--light-phone.png").write_bytes(png())
    with pytest.raises(InputError, match="same story and variant"):
        read_pngs(tmp_path, PLAN, partial=False)


def test_all_broken_images_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a--b--light-phone.png").write_bytes(b"GIF89a")
    (tmp_path / "c--d--light-phone.png").write_bytes(b"")
    with pytest.raises(InputError) as caught:
        read_pngs(tmp_path, PLAN, partial=False)
    assert "a--b" in str(caught.value)
    assert "c--d" in str(caught.value)


def test_the_error_of_an_empty_folder_says_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a built Storybook"):
        read_pngs(tmp_path, PLAN, partial=False)


def test_an_image_that_the_server_will_not_accept_is_named_before_anything_is_sent(
    tmp_path: Path,
) -> None:
    (tmp_path / "a--light-phone.png").write_bytes(png(4, 3))
    (tmp_path / "b--light-phone.png").write_bytes(png(4, 4))
    limited = replace(PLAN, image_limits=Limits(pixels=12))
    with pytest.raises(InputError, match=r"b--light-phone\.png: the image is 4 x 4") as raised:
        read_pngs(tmp_path, limited, partial=False)
    assert "a--light" not in str(raised.value)
