"""Links in a Storybook, and in uploaded files, do not lead to other files of the machine."""

import http.client
import json
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.images import page
from visual_review.client.capture import CaptureError, read_stories, source_hashes
from visual_review.client.capture.server import StaticServer
from visual_review.client.publishing import InputError
from visual_review.client.publishing.pngs import find_images
from visual_review.client.recordings.files import Files

ENTRY = {"id": "a--b", "title": "A", "name": "B", "importPath": "./a.stories.js", "type": "story"}
INDEX = json.dumps({"v": 5, "entries": {"a--b": ENTRY}})
STATS = json.dumps({"modules": [{"name": "./a.stories.js", "reasons": []}]})


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with a file of each kind; none may be read."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "index.json").write_text(INDEX)
    (folder / "preview-stats.json").write_text(STATS)
    (folder / "a.woff2").write_bytes(b"secret")
    (folder / "a--b--light-desktop.png").write_bytes(page(4, 4))
    (folder / "video.webm").write_bytes(b"secret")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a built Storybook."""
    folder = tmp_path / "project"
    for name in (".storybook", "built"):
        (folder / name).mkdir(parents=True)
    for name in (".storybook/preview.js", "a.stories.js", "built/iframe.html"):
        (folder / name).write_text("")
    (folder / "built" / "index.json").write_text(INDEX)
    (folder / "built" / "preview-stats.json").write_text(STATS)
    return folder


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def get(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    result = response.status, response.read()
    connection.close()
    return result


def test_the_storybooks_server_follows_no_link_out_of_it(
    project: Path, outside: Path, case: Case
) -> None:
    built = project / "built"
    link(built / "absolute.woff2", outside / "a.woff2")
    link(built / "relative.woff2", Path("../../outside/a.woff2"))
    link(built / "folder", outside)
    link(built / "twice", built / "folder")
    link(built / "circle", built / "circle")
    with StaticServer(built) as server:
        for path in (
            *("/absolute.woff2", "/relative.woff2", "/folder/a.woff2", "/twice/a.woff2"),
            *("/folder/", "/circle", "/folder/../../outside/a.woff2", "/%2e%2e/a.stories.js"),
            *("/..%2f..%2foutside%2fa.woff2", "/folder%2fa.woff2", "/./folder//a.woff2"),
        ):
            with case(path):
                status, body = get(server.port, path)
                assert status == 404
                assert b"secret" not in body


def test_an_index_that_is_a_link_out_of_the_storybook_is_refused(
    project: Path, outside: Path
) -> None:
    assert [story.id for story in read_stories(project / "built")] == ["a--b"]
    link(project / "built" / "index.json", outside / "index.json")
    with pytest.raises(CaptureError, match=r"index.json is a link that leads out of the folder"):
        read_stories(project / "built")


def test_source_hashes_cover_no_file_behind_a_link(project: Path, outside: Path) -> None:
    before = source_hashes(project / "built", project)
    assert before.hashes is not None
    link(project / "built" / "a.woff2", outside / "a.woff2")
    assert source_hashes(project / "built", project) == before
    link(project / "built" / "preview-stats.json", outside / "preview-stats.json")
    refused = source_hashes(project / "built", project)
    assert refused.hashes is None
    assert "preview-stats.json is a link that leads out of the folder" in str(refused.reason)


def test_a_linked_image_is_refused_and_a_linked_folder_is_not_read(
    tmp_path: Path, outside: Path
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    link(images / "folder", outside)
    assert find_images(images) == []
    link(images / "a--b--dark-phone.png", outside / "a--b--light-desktop.png")
    with pytest.raises(InputError, match=r"a--b--dark-phone.png: is a link that leads out"):
        find_images(images)


def test_a_link_within_the_folder_is_an_image_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a--b--light-desktop.png").write_bytes(page(4, 4))
    link(tmp_path / "a--b--dark-desktop.png", Path("a--b--light-desktop.png"))
    assert len(find_images(tmp_path)) == 2


def test_linked_videos_are_not_uploaded(tmp_path: Path, outside: Path) -> None:
    videos = tmp_path / "videos"
    videos.mkdir()
    link(videos / "video.webm", outside / "video.webm")
    link(videos / "folder", outside)
    files = Files(videos)
    assert files.videos() == []
    assert files.find("video.webm", videos / "report.json") is None
    assert files.find(str(outside / "video.webm"), videos / "report.json") is None
