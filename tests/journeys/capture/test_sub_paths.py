"""A Storybook built for a sub-path gives the images of one built for the root."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.bad_storybook import copy_storybook, replace_in, run_capture, take
from tests.support.rebuilt_storybooks import RealProject, copy_bundlers, copy_example
from visual_review.client.capture import ALL_VARIANTS, CaptureReport, CaptureSettings, read_stories
from visual_review.client.capture.run import capture

SHOW = """
stories["calm--first"] = () => {
  fetch("%sdata.json").then((response) => response.json()).then(paint, () => paint("nothing"));
};
"""
SETTINGS = CaptureSettings(workers=2)


def build_for(folder: Path, path: str) -> Path:
    """A Storybook whose scripts and stories have absolute URLs below ``path``."""
    copy_storybook(folder)
    replace_in(folder / "iframe.html", "./preview.js", f"{path}preview.js")
    with (folder / "preview.js").open("a") as script:
        script.write(SHOW % path)
    (folder / "data.json").write_text('"loaded"')
    return folder


def test_the_images_are_those_of_the_root(tmp_path: Path) -> None:
    _, [expected] = take(build_for(tmp_path / "root", "/"), "calm--first")
    report, [shot] = take(build_for(tmp_path / "prefix", "/some/prefix/"), "calm--first")
    assert shot.png == expected.png is not None
    assert report.notices == ("Served below /some/prefix, as it was built for.",)


def test_a_file_outside_of_the_sub_path_is_missing_as_it_is_there(tmp_path: Path) -> None:
    folder = build_for(tmp_path / "prefix", "/some/prefix/")
    _, [expected] = take(folder, "calm--first")
    replace_in(folder / "preview.js", "/some/prefix/data.json", "/data.json")
    _, [shot] = take(folder, "calm--first")
    assert shot.png != expected.png
    assert [note.kind for note in shot.notes] == ["failed-request"]


def test_a_path_that_only_stories_know_is_said_in_the_output(tmp_path: Path) -> None:
    folder = build_for(tmp_path / "book", "/")
    _, [expected] = take(folder, "calm--first")
    replace_in(folder / "preview.js", '"/data.json', '"/deployed/data.json')
    result = run_capture(
        *(folder, "--output", tmp_path / "out", "--story", "calm--first"),
        *("--theme", "light", "--device", "phone"),
    )
    assert result.returncode == 0, result.stderr
    assert "note: Stories request files below /deployed" in result.stderr
    assert (tmp_path / "out" / "calm--first--light-phone.png").read_bytes() == expected.png


def take_all(folder: Path) -> tuple[CaptureReport, dict[str, bytes | str | None]]:
    images: dict[str, bytes | str | None] = {}
    report = capture(
        folder,
        ALL_VARIANTS[:1],
        read_stories(folder),
        SETTINGS,
        lambda shot: images.__setitem__(shot.story.id, shot.png or shot.error),
    )
    return report, images


def build_below(copy: Callable[[Path], RealProject], folder: Path, change: str) -> Path:
    """Build a project whose bundler is configured by ``change``."""
    project = copy(folder)
    replace_in(project.root / ".storybook" / "main.js", "...config,", f"...config, {change},")
    return project.build().built


BUNDLERS = {
    "vite": (copy_example, "base: '{}'"),
    "webpack": (copy_bundlers, "output: {{ ...config.output, publicPath: '{}' }}"),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", BUNDLERS)
def test_a_storybook_built_for_a_sub_path_gives_the_same_images(tmp_path: Path, name: str) -> None:
    copy, change = BUNDLERS[name]
    root = build_below(copy, tmp_path / "root", change.format("./" if name == "vite" else ""))
    at_root, expected = take_all(root)
    below = build_below(copy, tmp_path / "below", change.format("/design/system/"))
    report, images = take_all(below)
    assert "Served below /design/system, as it was built for." in report.notices
    assert [story for story in expected if images[story] != expected[story]] == []
    assert (report.shots_ok, report.failed) == (at_root.shots_ok, at_root.failed)
    assert report.shots_ok > report.failed
