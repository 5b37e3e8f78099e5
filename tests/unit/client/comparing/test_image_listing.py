"""Images are found in folders whatever else is there; what cannot be read has a message."""

import os
import socket
from pathlib import Path

from tests.support.image_files import draw
from visual_review.client.comparing.image_listing import ImageFolder, list_images
from visual_review.client.comparing.pairs import find_collisions, pair_images


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
