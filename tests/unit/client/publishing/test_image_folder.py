"""Folders of images written by tools and people, read from the disk."""

import io
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image

from tests.support.case import Case
from tests.support.imagediff.shared_data import shared
from tests.support.publishing import PLAN, png
from visual_review.client.capture import ALL_VARIANTS, Variant, file_name
from visual_review.client.image_names import NamingOptions
from visual_review.client.publishing import InputError
from visual_review.client.publishing.build_images import BuildContents, Spool
from visual_review.client.publishing.image_folder import map_folder, read_images
from visual_review.client.publishing.pngs import parse_name
from visual_review.client.publishing.responses import Plan
from visual_review.imagediff import Limits, probe


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    return folder


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    (tmp_path / "spool").mkdir()
    return Spool(tmp_path / "spool")


def encode(image: Image.Image, form: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def gradient(mode: str) -> Image.Image:
    """An image in which every pixel differs, so that a wrong one is seen."""
    image = Image.linear_gradient("L").resize((16, 16))
    return (
        image
        if mode == "L"
        else Image.merge(mode, [image.rotate(90 * i) for i in range(4)][: len(mode)])
    )


def read(folder: Path, spool: Spool | None, naming: NamingOptions | None = None) -> BuildContents:
    return read_images(folder, PLAN, naming or NamingOptions(), spool, partial=False)


def test_real_folders_of_playwright_are_read_as_they_are(case: Case, spool: Spool) -> None:
    for name in ("gravity-layout", "gravity-menu"):
        for side in ("before", "after"):
            images = shared("pairs", name, side)
            with case(f"{name} {side}"):
                contents = read(images, spool)
                files = list(images.rglob("*.png"))
                assert len(contents.entries) == len(files) > 60
                keys = {(entry.story_id, entry.variant) for entry in contents.entries}
                assert len(keys) == len(files)
                assert (contents.themes, contents.devices) == (("light", "dark"), ("desktop",))
                assert contents.notes == [
                    "Names are read as: playwright (--explain shows each).",
                    f"{len(files)} names say no device: desktop (or pass --device).",
                ]
                for entry in contents.entries:
                    path = contents.files[entry.sha256].as_posix()
                    assert f"-{entry.variant.theme}-" in path
                    assert entry.title.endswith(", linux)")


def test_both_sides_of_a_real_change_have_the_same_stories() -> None:
    before, after = (
        {
            (image.story_id, image.theme): image.file
            for image in map_folder(folder, NamingOptions()).images
        }
        for folder in (shared("pairs", "gravity-menu", side) for side in ("before", "after"))
    )
    assert before == after


def test_jpeg_and_webp_become_png_with_the_same_pixels(
    folder: Path, spool: Spool, case: Case
) -> None:
    for name, data in {
        "gray.jpg": encode(gradient("L"), "JPEG"),
        "colors.jpeg": encode(gradient("RGB"), "JPEG", quality=60),
        "exact.webp": encode(gradient("RGBA"), "WEBP", lossless=True),
        "lossy.webp": encode(gradient("RGB"), "WEBP", quality=40),
        # The content counts, not the extension.
        "renamed.png": encode(gradient("RGB"), "JPEG"),
    }.items():
        (folder / name).write_bytes(data)
    contents = read(folder, spool)
    assert contents.notes[-1] == "5 JPEG or WebP files converted to PNG, pixel by pixel."
    for entry in contents.entries:
        with case(entry.title):
            written = contents.files[entry.sha256].read_bytes()
            assert (probe(written).width, entry.width, entry.height) == (16, 16, 16)
            (source,) = folder.glob(f"{entry.title}.*")
            with Image.open(source) as image, Image.open(io.BytesIO(written)) as converted:
                assert (converted.mode, converted.tobytes()) == (image.mode, image.tobytes())


def test_an_image_is_published_as_browsers_turn_it(folder: Path, spool: Spool, case: Case) -> None:
    upright = Image.linear_gradient("L").resize((8, 4))
    for orientation, stored in {
        1: upright,
        3: upright.transpose(Image.Transpose.ROTATE_180),
        6: upright.transpose(Image.Transpose.ROTATE_90),
        8: upright.transpose(Image.Transpose.ROTATE_270),
    }.items():
        with case(str(orientation)):
            exif = Image.Exif()
            exif[ExifTags.Base.Orientation] = orientation
            data = encode(stored, "WEBP", lossless=True, exif=exif)
            (folder / "home.webp").write_bytes(data)
            contents = read(folder, spool)
            (entry,) = contents.entries
            assert (entry.width, entry.height) == (8, 4)
            with Image.open(contents.files[entry.sha256]) as converted:
                assert converted.convert("L").tobytes() == upright.tobytes()


def test_a_png_of_one_frame_is_no_animation(folder: Path, spool: Spool) -> None:
    start, rest = png()[:33], png()[33:]
    control = b"acTL" + (1).to_bytes(4) + (0).to_bytes(4)
    chunk = (8).to_bytes(4) + control + zlib.crc32(control).to_bytes(4)
    (folder / "home.png").write_bytes(start + chunk + rest)
    assert len(read(folder, spool).entries) == 1


def test_a_png_is_published_byte_for_byte(folder: Path, spool: Spool) -> None:
    (folder / "home.png").write_bytes(png())
    contents = read(folder, spool)
    assert list(contents.files.values()) == [folder / "home.png"]


def test_what_cannot_be_converted_exactly_is_refused_with_words(
    folder: Path, spool: Spool, case: Case
) -> None:
    frames = [gradient("RGB"), gradient("RGB").rotate(90)]
    for name, data, message in (
        ("print.jpg", encode(gradient("CMYK"), "JPEG"), "the JPEG has CMYK colors"),
        (
            "moving.webp",
            encode(frames[0], "WEBP", save_all=True, append_images=frames[1:]),
            "the WEBP is an animation",
        ),
        ("half.jpg", encode(gradient("RGB"), "JPEG")[:200], "the JPEG is damaged"),
        ("half.webp", encode(gradient("RGB"), "WEBP")[:60], "the WEBP is damaged"),
        # Only the first image of the animation would be compared.
        (
            "moving.png",
            encode(frames[0], "PNG", save_all=True, append_images=frames[1:]),
            "the PNG is an animation",
        ),
        ("half.png", encode(gradient("RGB"), "PNG")[:-20], "the PNG is truncated"),
    ):
        with case(name):
            (folder / name).write_bytes(data)
            with pytest.raises(InputError, match=message) as found:
                read(folder, spool)
            assert name in str(found.value)
            (folder / name).unlink()


def test_a_jpeg_larger_than_the_limit_is_not_decoded(folder: Path, spool: Spool) -> None:
    (folder / "large.jpg").write_bytes(encode(gradient("RGB"), "JPEG"))
    limited = replace(PLAN, image_limits=Limits(pixels=100))
    with pytest.raises(InputError, match=r"large.jpg: the image is 16 x 16"):
        read_images(folder, limited, NamingOptions(), spool, partial=False)


def test_other_formats_of_a_folder_that_is_not_trusted_are_refused(folder: Path) -> None:
    (folder / "home.jpg").write_bytes(encode(gradient("RGB"), "JPEG"))
    with pytest.raises(InputError, match=r"home.jpg: is a JPEG, which --images-only does not"):
        read(folder, None)


def test_every_file_that_is_not_published_is_named_with_its_reason(
    folder: Path, spool: Spool
) -> None:
    (folder / "home.png").write_bytes(png())
    (folder / "moving.gif").write_bytes(b"GIF89a")
    (folder / "._home.png").write_bytes(b"left behind")
    (folder / "elsewhere").symlink_to(folder.parent)
    for number in range(5):
        (folder / f"{number}.txt").write_text("not an image")
    notes = read(folder, spool).notes
    assert "Ignored 1 file: moving.gif (is no PNG, JPEG or WebP)." in notes
    assert "Ignored 1 file: ._home.png (is a hidden file)." in notes
    assert "Ignored 1 folder: elsewhere (is a link to a folder)." in notes
    assert "Ignored 5 files: 0.txt, 1.txt, 2.txt and 2 more (is not an image)." in notes


def test_hidden_folders_and_packages_are_not_searched(folder: Path, spool: Spool) -> None:
    for name in (".git", ".cache/home", "node_modules/logo", ".loki/reference", "pages"):
        (folder / name).mkdir(parents=True)
        (folder / name / "home.png").write_bytes(png())
    contents = read(folder, spool, NamingOptions("plain"))
    assert [entry.story_id for entry in contents.entries] == [
        ".loki/reference--home",
        "pages--home",
    ]
    assert "Ignored 2 folders: .cache, .git (is a hidden folder)." in contents.notes
    assert "Ignored 1 folder: node_modules (has packages of npm)." in contents.notes
    # A folder that is passed itself is read, whatever its name.
    assert len(read(folder / ".git", spool).entries) == 1
    with pytest.raises(InputError, match=r"Hidden folders are not read, .*: \.hidden"):
        read(hide(folder), spool)


def hide(folder: Path) -> Path:
    """Return a folder whose only image is in a hidden one."""
    outer = folder / "outer"
    (outer / ".hidden").mkdir(parents=True)
    (outer / ".hidden" / "home.png").write_bytes(png())
    return outer


def test_a_folder_that_cannot_be_read_is_a_problem(folder: Path) -> None:
    (folder / "home.png").write_bytes(png())
    (folder / "private").mkdir()
    (folder / "private").chmod(0)
    # Root may read everything, so the child gives up root's rights.
    program = (
        "import os; from pathlib import Path; "
        "from visual_review.client.publishing.image_folder import list_folder; "
        "os.geteuid() or os.setuid(65534); print(list_folder(Path('.')).problems)"
    )
    folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "{'private': 'cannot be read: Permission denied'}"


def test_two_files_of_one_screenshot_are_refused_with_what_to_do(
    folder: Path, spool: Spool
) -> None:
    (folder / "home.png").write_bytes(png())
    (folder / "home.jpg").write_bytes(encode(gradient("RGB"), "JPEG"))
    with pytest.raises(InputError, match=r"home.png: has the same story and variant") as found:
        read(folder, spool)
    assert "pass the folder of one of them" in str(found.value)


def test_links_that_lead_out_are_refused(folder: Path, spool: Spool) -> None:
    outside = folder.parent / "secret.png"
    outside.write_bytes(png())
    (folder / "home.png").symlink_to(outside)
    (folder / "broken.png").symlink_to(folder / "absent")
    with pytest.raises(InputError, match=r"home.png: is a link that leads out") as found:
        read(folder, spool)
    assert "broken.png: is not a file" in str(found.value)


def test_a_pattern_that_fits_no_name_publishes_nothing(folder: Path, spool: Spool) -> None:
    (folder / "home.png").write_bytes(png())
    with pytest.raises(InputError, match=r"No image .* with these names") as found:
        read(folder, spool, NamingOptions("{story}-{theme}"))
    assert "home.png (the name does not match {story}-{theme})" in str(found.value)


def test_a_folder_with_images_of_other_formats_only_says_so(folder: Path, spool: Spool) -> None:
    (folder / "home.gif").write_bytes(b"GIF89a")
    with pytest.raises(InputError, match=r"Other formats are not supported: home.gif"):
        read(folder, spool)


def read_pngs(folder: Path, plan: Plan, *, partial: bool) -> BuildContents:
    """Read a folder as ``publish`` does; PNG needs no place for converted files."""
    return read_images(folder, plan, NamingOptions(), Spool(Path("/no/folder")), partial=partial)


# Longer names may be shortened; only a manifest can undo the shortening.
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
