"""Properties of the renderer: another browser or another font is another renderer."""

import os
from pathlib import Path

import pytest

from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.sources.fingerprint import RENDERER_PARTS, Renderer
from visual_review.client.capture.sources.renderer import read_renderer


def write_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def renderer_of(
    folder: Path, version: str = "Chromium 156.0.1.2", fonts: str = "Inter"
) -> Renderer:
    browser = write_program(folder / "browser", f"echo '{version}'")
    write_program(folder / "fc-list", f"echo '{fonts}|Regular|65536|TrueType'")
    return read_renderer(CaptureSettings(chromium=browser))


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def differing(before: Renderer, after: Renderer) -> set[str]:
    return {name for name in RENDERER_PARTS if before.parts[name] != after.parts[name]}


def test_the_version_of_the_browser_is_read(tmp_path: Path) -> None:
    before = renderer_of(tmp_path)
    after = renderer_of(tmp_path, version="Chromium 157.0.1.2")
    assert (before.version, after.version) == ("156.0.1.2", "157.0.1.2")
    assert differing(before, after) == {"browser"}


def test_a_browser_that_does_not_say_its_version_is_known_by_its_file(tmp_path: Path) -> None:
    before = renderer_of(tmp_path, version="")
    write_program(tmp_path / "browser", "exit 1 # another build")
    assert differing(before, read_renderer(CaptureSettings(chromium=tmp_path / "browser")))


def test_installed_fonts_are_read(tmp_path: Path) -> None:
    assert differing(renderer_of(tmp_path), renderer_of(tmp_path, fonts="Roboto")) == {"fonts"}


def test_the_locale_of_the_machine_is_read_but_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = renderer_of(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert differing(before, renderer_of(tmp_path)) == set()
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    assert differing(before, renderer_of(tmp_path)) == {"flags"}


def test_the_installed_browser_gives_the_same_renderer_twice() -> None:
    first = read_renderer(CaptureSettings(workers=1))
    assert first == read_renderer(CaptureSettings(workers=2))
    assert first.version.split(".")[0].isdigit()
