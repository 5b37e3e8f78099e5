"""Misbehaving stories: each is reported, and the capture continues."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image

from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureError,
    CaptureReport,
    CaptureSettings,
    Shot,
    Variant,
    read_stories,
)
from visual_review.client.capture.run import capture
from visual_review.variants import DEVICES, Viewport

CaptureResult = tuple[CaptureReport, dict[str, Shot]]
PHONE = ALL_VARIANTS[0]
QUICK = CaptureSettings(
    workers=1, story_timeout=2, blocked_timeout=2, settle_timeout=1, load_timeout=20
)
# For stories that end by themselves: a busy machine may stop the browser for a second or two.
PATIENT = replace(QUICK, story_timeout=20, blocked_timeout=20, settle_timeout=3, load_timeout=60)
# Listeners of these tests have ports of their own, otherwise out of reach for stories.
WITH_LISTENERS = replace(QUICK, allow_hosts=("127.0.0.1",))


def run(folder: Path, *ids: str, settings: CaptureSettings = QUICK) -> CaptureResult:
    stories = {story.id: story for story in read_stories(folder)}
    shots: list[Shot] = []
    report = capture(folder, [PHONE], [stories[name] for name in ids], settings, shots.append)
    assert len(shots) == len({shot.story.id for shot in shots})
    return report, {shot.story.id: shot for shot in shots}


def pixel(shot: Shot, position: tuple[int, int]) -> object:
    return Image.open(BytesIO(shot.png or b"")).convert("RGB").getpixel(position)


@contextmanager
def listener(on_connect: Callable[[socket.socket], None]) -> Iterator[int]:
    """Open a loopback port that calls ``on_connect`` with each connection and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections = []

        def serve() -> None:
            while True:
                try:
                    connections.append(server.accept()[0])
                except OSError:
                    return
                on_connect(connections[-1])

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in connections:
            connection.close()


def storybook_with_ports(folder: Path, **ports: int) -> Path:
    """Copy the Storybook so that its stories connect to the given loopback ports."""
    copy = folder / "storybook"
    shutil.copytree(BAD_STORYBOOK, copy)
    script = copy / "preview.js"
    text = script.read_text()
    for name, port in ports.items():
        text = text.replace(name, str(port))
    script.write_text(text)
    return copy


def read_process(path: Path) -> bytes:
    """Return the content of a file in /proc, nothing if the process has ended meanwhile."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, read_process(children).split()):
            yield child
            yield from descendants(child)


def kill_renderers() -> None:
    for pid in descendants(os.getpid()):
        if b"--type=renderer" in read_process(Path(f"/proc/{pid}/cmdline")):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


CALM = ("calm--first", "calm--second", "calm--third")
TIMES = ("time--clock", "time--chance")
MESSAGES = {
    "bad--throws": "The story threw an exception: thrown on purpose",
    "bad--reports": "The story reported an error: No element: the story returned nothing",
    "bad--play": "The play function failed: no such button",
    "bad--unhandled": "The play function left errors unhandled: nobody caught me",
    "bad--unknown": "Storybook could not find or load the story",
    "bad--never-renders": (
        "The story did not render within 2 seconds (it was in the phase 'rendering')."
    ),
    "bad--blocks": "The story blocked the page for 2 seconds: a script did not return.",
    "bad--leaves": "The story navigated away to http://storybook.localhost/elsewhere.html.",
}


@pytest.fixture(scope="module")
def bad_and_calm() -> CaptureResult:
    """Bad stories between calm ones, after stories that show time and random numbers."""
    first, second, third = CALM
    names = list(MESSAGES)
    return run(BAD_STORYBOOK, *TIMES, first, *names[:6], second, *names[6:], third)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_bad_story_is_reported_with_its_message(name: str, bad_and_calm: CaptureResult) -> None:
    shot = bad_and_calm[1][name]
    assert MESSAGES[name] in (shot.error or "")
    assert shot.png is None


def test_the_neighbors_of_bad_stories_are_captured(bad_and_calm: CaptureResult) -> None:
    report, shots = bad_and_calm
    assert (report.shots_ok, report.failed) == (len(TIMES) + len(CALM), len(MESSAGES))
    assert {shots[name].error for name in CALM} == {None}
    assert len({shots[name].png for name in CALM}) == len(CALM)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs the processes in /proc")
def test_a_missing_response_and_a_crashed_page_are_reported(tmp_path: Path) -> None:
    names = ("restless--request", "calm--first", "bad--crashes", "calm--second")
    with listener(lambda _: None) as silent, listener(lambda _: kill_renderers()) as crasher:
        folder = storybook_with_ports(tmp_path, SILENT=silent, CRASHER=crasher)
        report, shots = run(folder, *names, settings=WITH_LISTENERS)
    assert (report.shots_ok, report.failed) == (3, 1)
    assert "The page crashed" in (shots["bad--crashes"].error or "")
    assert shots["restless--request"].unstable == f"http://127.0.0.1:{silent}/ did not respond"
    assert shots["calm--first"].unstable is None


def test_a_story_that_took_too_long_is_tried_once_more_at_the_end(tmp_path: Path) -> None:
    names = ("bad--waits-for-others", "bad--never-renders", "calm--first")
    captured: list[Shot] = []
    connections: list[socket.socket] = []

    def on_connect(connection: socket.socket) -> None:
        connections.append(connection)
        if captured:
            connection.close()

    with listener(on_connect) as waiting:
        folder = storybook_with_ports(tmp_path, WAITING=waiting)
        known = {story.id: story for story in read_stories(folder)}
        stories = [known[name] for name in names]
        variants = [PHONE, Variant("dark", "phone")]
        report = capture(folder, variants, stories, WITH_LISTENERS, captured.append)
    assert (report.shots_ok, report.failed) == (4, 2)
    assert len({(shot.story.id, shot.variant) for shot in captured}) == 6
    failed = {shot.story.id for shot in captured if shot.error}
    assert failed == {"bad--never-renders"}
    # The others waited until everything else was captured.
    assert [shot.story.id for shot in captured[:2]] == ["calm--first", "calm--first"]


HARMLESS = (
    "calm--first",
    *reversed(TIMES),
    "time--debounce",
    "time--over",
    "time--waits-busily",
    "outside--image",
    "animated--finite",
    "animated--infinite",
    "size--tall",
    "size--endless",
    "restless--counter",
    "restless--locks",
    "parameters--skipped",
    "parameters--tolerant",
)


@pytest.fixture(scope="module")
def harmless() -> CaptureResult:
    return run(BAD_STORYBOOK, *HARMLESS, settings=PATIENT)


def test_time_and_random_numbers_do_not_depend_on_earlier_stories(
    bad_and_calm: CaptureResult, harmless: CaptureResult
) -> None:
    pairs = [(bad_and_calm[1][name].png, harmless[1][name].png) for name in TIMES]
    assert all(first is not None and first == later for first, later in pairs)


def test_programs_that_wait_for_time_to_pass_finish(harmless: CaptureResult) -> None:
    shots = harmless[1]
    assert shots["time--debounce"].png == shots["time--over"].png
    assert shots["time--waits-busily"].error is None


def test_a_page_is_captured_in_full_height_up_to_the_limit(harmless: CaptureResult) -> None:
    shots = harmless[1]
    names = ("calm--first", "size--tall", "size--endless")
    sizes = [(shots[name].width, shots[name].height) for name in names]
    width, height = DEVICES["phone"]
    assert sizes == [(width, height), (width, 3000), (width, 16_000)]
    (note,) = shots["size--endless"].notes
    assert note.detail == "the page is 40000 pixels high, the image ends at 16000"
    assert pixel(shots["size--tall"], (200, 2999)) == (0, 0, 255)


def test_a_story_can_disable_its_capture_or_set_its_threshold(harmless: CaptureResult) -> None:
    report, shots = harmless
    assert (report.shots_ok, report.failed, report.skipped) == (len(HARMLESS) - 1, 0, 1)
    assert "parameters--skipped" not in shots
    assert shots["parameters--tolerant"].threshold == 0.3


def test_a_request_to_an_external_host_fails_immediately_and_the_story_is_stable(
    harmless: CaptureResult,
) -> None:
    assert harmless[1]["outside--image"].unstable is None


@pytest.mark.parametrize("name", ["animated--finite", "animated--infinite"])
def test_finite_animations_are_finished_and_infinite_ones_canceled(
    name: str, harmless: CaptureResult
) -> None:
    shot = harmless[1][name]
    assert pixel(shot, (25, 25)) == (0, 128, 0)
    assert shot.unstable is None


def test_the_given_viewport_sizes_are_captured() -> None:
    settings = replace(QUICK, viewports={**DEVICES, "phone": Viewport(412, 915)})
    _, shots = run(BAD_STORYBOOK, "restless--counter", settings=settings)
    assert (shots["restless--counter"].width, shots["restless--counter"].height) == (412, 915)


def test_a_story_that_keeps_changing_is_captured_with_the_reason(harmless: CaptureResult) -> None:
    shots = harmless[1]
    assert shots["restless--locks"].png is not None
    assert "the page kept changing (div#storybook-root)" in (
        shots["restless--locks"].unstable or ""
    )


def test_an_endless_loop_of_frames_ends_with_its_page_time(harmless: CaptureResult) -> None:
    shot = harmless[1]["restless--counter"]
    assert (shot.png is not None, shot.unstable) == (True, None)


def test_an_error_of_the_callback_ends_the_capture() -> None:
    def fail(shot: Shot) -> None:
        raise OSError(f"the disk is full at {shot.story.id}")

    stories = read_stories(BAD_STORYBOOK)[:3]
    with pytest.raises(OSError, match="the disk is full at calm--first"):
        capture(BAD_STORYBOOK, [PHONE], stories, QUICK, fail)


def test_a_preview_that_never_starts_is_an_error_of_the_whole_run(tmp_path: Path) -> None:
    folder = tmp_path / "storybook"
    shutil.copytree(BAD_STORYBOOK, folder)
    (folder / "preview.js").write_text("// It never opens its channel.")
    settings = CaptureSettings(workers=1, load_timeout=2)
    with pytest.raises(CaptureError, match="did not start within 2 seconds"):
        capture(folder, [PHONE], settings=settings)


def test_a_browser_that_does_not_start_is_an_error_of_the_whole_run(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(CaptureError, match="did not start"):
        capture(BAD_STORYBOOK, [PHONE], settings=CaptureSettings(chromium=program))


def test_a_missing_browser_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="There is no browser at"):
        capture(BAD_STORYBOOK, [PHONE], settings=CaptureSettings(chromium=tmp_path / "none"))
