"""Images are found in folders among any other files; an unreadable file has a message."""

import io
import os
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.case import Case
from tests.support.imagediff.images import decode
from tests.support.images import draw
from visual_review.client.comparing.other_formats import convert_to_png, read_webp_size
from visual_review.client.comparing.pairs import (
    ImageFolder,
    difference_name,
    find_collisions,
    list_images,
    pair_images,
    portable_name,
)
from visual_review.imagediff import DEFAULT_LIMITS, ImageError, ImageTooLargeError, Limits


def test_images_are_found_by_their_extensions_at_any_depth(tmp_path: Path) -> None:
    for name in ("a.png", "b/c.JPG", "b/d/e.webp", "f.jpeg"):
        draw(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no image")
    found = list_images(str(tmp_path))
    assert sorted(found.files) == ["a.png", "b/c.JPG", "b/d/e.webp", "f.jpeg"]
    assert found.problems == {}


def test_the_folder_of_the_report_is_left_out(tmp_path: Path) -> None:
    draw(tmp_path / "a.png")
    draw(tmp_path / "report" / "b.png")
    assert list(list_images(str(tmp_path), os.path.realpath(tmp_path / "report")).files) == [
        "a.png"
    ]


def test_links_to_folders_are_followed_and_loops_end(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    draw(folder / "a.png")
    draw(tmp_path / "elsewhere" / "b.png")
    (folder / "other").symlink_to(tmp_path / "elsewhere")
    (folder / "self").symlink_to(folder)
    (folder / "above").symlink_to(tmp_path)
    (tmp_path / "elsewhere" / "back").symlink_to(folder)
    found = list_images(str(folder))
    assert sorted(found.files) == ["a.png", "other/b.png"]
    message = "is a symbolic link to a folder around it"
    assert found.problems == dict.fromkeys(("self", "above", "other/back"), message)


def test_what_is_not_a_file_has_a_message(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "lost.png").symlink_to("nowhere")
    (tmp_path / "circle.png").symlink_to("circle.png")
    (tmp_path / "folder.png").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.png"))
    found = list_images(str(tmp_path))
    assert found.folders == {"folder.png"}
    assert found.problems["pipe.png"] == "is a named pipe, not a file"
    assert found.problems["s.png"] == "is a socket, not a file"
    assert found.problems["lost.png"] == "is a symbolic link to a file that does not exist"
    assert "Too many levels of symbolic links" in found.problems["circle.png"]


def test_a_folder_against_a_file_is_a_problem_on_its_side() -> None:
    before = ImageFolder({"a.png": "old/a.png"})
    after = ImageFolder({}, {"a.png"})
    (pair,) = pair_images(before, after)
    assert pair.problem == "after: is a folder, not a file"
    assert pair_images(ImageFolder({}, {"a.png"}), after) == []


def test_names_that_are_one_on_some_systems_are_problems() -> None:
    assert find_collisions(["a.png", "b.png", "a.jpg", "A/a.png"]) == {}
    found = find_collisions(["a.png", "A.PNG", "é.png", "e\u0301.png", "c.jpg", "C.jpg.png"])
    assert set(found) == {"a.png", "A.PNG", "é.png", "e\u0301.png", "c.jpg", "C.jpg.png"}
    assert (
        found["a.png"] == "only upper and lower case distinguish it from A.PNG; rename one of them"
    )
    assert "its difference would have the same name as that of C.jpg.png" in found["c.jpg"]


def test_a_name_in_another_case_in_the_other_folder_is_a_problem() -> None:
    pairs = pair_images(ImageFolder({"Button.png": "x"}), ImageFolder({"button.png": "y"}))
    assert [pair.problem is not None for pair in pairs] == [True, True]


def test_ordinary_names_stay() -> None:
    for name in ("a.png", "deep/Ünï cödé (1).png", "a.b.c.webp", ".hidden.png"):
        assert portable_name(name) == name


def test_a_difference_is_a_png() -> None:
    assert difference_name("a.PNG") == "a.PNG"
    assert difference_name("b/a.jpg") == "b/a.jpg.png"


def test_other_names_change_and_stay_different(case: Case) -> None:
    names = [
        "a?.png",
        "a*.png",
        'q"<>|:.png',
        "a\n.png",
        "con.png",
        "dir. /a.png",
        "x" * 300 + ".png",
    ]
    names += ["a\\b.png", "\udcff.png", "\udcfe.png"]
    portable = [portable_name(name) for name in names]
    assert len(set(portable)) == len(names)
    for name, changed in zip(names, portable, strict=True):
        with case(repr(name)):
            assert changed != name
            assert not set(changed) & set('<>:"|?*\\\n')
            assert all(len(part.encode()) <= 210 for part in changed.split("/"))
            assert changed.endswith(".png")
            assert portable_name(changed) == changed


def encode(image: Image.Image, form: str, **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, form, **options)  # type: ignore[arg-type]
    return target.getvalue()


def noise(mode: str, size: tuple[int, int] = (33, 21)) -> Image.Image:
    rng = np.random.default_rng(7)
    bands = len(Image.new(mode, (1, 1)).getbands())
    return Image.fromarray(
        rng.integers(0, 256, (size[1], size[0], bands), np.uint8).squeeze(), mode
    )


def test_the_pixels_are_those_that_pillow_reads(case: Case) -> None:
    files = {
        "jpeg": encode(noise("RGB"), "JPEG"),
        "gray jpeg": encode(noise("L"), "JPEG"),
        "webp": encode(noise("RGB"), "WEBP"),
        "lossless webp": encode(noise("RGB"), "WEBP", lossless=True),
        "webp with alpha": encode(noise("RGBA"), "WEBP", lossless=True, exact=True),
    }
    for name, data in files.items():
        with case(name):
            expected = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
            assert np.array_equal(decode(convert_to_png(data, DEFAULT_LIMITS)), expected)


def test_the_size_of_every_kind_of_webp_is_read_before_it_is_opened(case: Case) -> None:
    small = noise("RGB", (3, 200))
    frames = {"save_all": True, "append_images": [noise("RGB", (3, 200))]}
    for name, options in (("lossy", {}), ("lossless", {"lossless": True}), ("animated", frames)):
        with case(name):
            data = encode(small, "WEBP", **options)
            assert read_webp_size(data) == (3, 200)
            with pytest.raises(
                ImageTooLargeError, match="the image is 3 x 200; at most 100 pixels"
            ):
                convert_to_png(data, Limits(side=100))


def test_a_jpeg_above_the_limits_is_an_error() -> None:
    with pytest.raises(ImageTooLargeError, match="the image is 33 x 21"):
        convert_to_png(encode(noise("RGB"), "JPEG"), Limits(pixels=600))


def test_damaged_files_are_errors(case: Case) -> None:
    jpeg, webp = encode(noise("RGB"), "JPEG"), encode(noise("RGB"), "WEBP")
    files = {
        "start of a JPEG": jpeg[:3],
        "JPEG without end": jpeg[:-200],
        "WebP header": webp[:20],
        "WebP without end": webp[: len(webp) // 2],
        "unknown chunk": webp[:12] + b"ABCD" + webp[16:],
        "JPEG of a huge size": jpeg.replace(struct.pack(">HH", 21, 33), b"\xff\xff\xff\xff"),
    }
    for name, data in files.items():
        with case(name), pytest.raises(ImageError):
            convert_to_png(data, DEFAULT_LIMITS)


def test_anything_else_stays_as_it_is() -> None:
    for data in (b"", b"RIFF", b"GIF89a", encode(noise("RGB"), "PNG")):
        assert convert_to_png(data, DEFAULT_LIMITS) is data
