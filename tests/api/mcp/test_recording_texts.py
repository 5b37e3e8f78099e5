"""Texts about recordings for models: the important first, within the limit, and quoted."""

from pathlib import Path

import pytest

from tests.support.api_keys import user_key
from tests.support.mcp.endpoint import Endpoint
from tests.support.mcp.reader import ESCAPED, HOSTILE, Reader
from tests.support.personas import Personas
from tests.support.recording_rows import attach, enable, record
from tests.support.worlds import World
from visual_review.api.mcp.rendering import MAX_TOKENS
from visual_review.api.mcp.rendering.truncation import count_tokens, dump_json
from visual_review.recordings.models import Recording

pytestmark = pytest.mark.usefixtures("blobs_folder")


@pytest.fixture
def world(personas: Personas, blobs_folder: Path) -> World:  # noqa: ARG001 - It sets the storage.
    return World(personas.alice)


@pytest.fixture
def reader(endpoint: Endpoint, personas: Personas) -> Reader:
    return Reader(endpoint, user_key(personas.alice))


def failed(world: World, steps: int) -> Recording:
    """A failed test of many steps, with a long error and a hostile title."""
    step_list = [
        {"title": f"step {number}", "startMs": number * 100, "durationMs": 90, "storyId": None}
        for number in range(steps)
    ]
    step_list.append({"title": HOSTILE, "startMs": steps * 100, "durationMs": 1, "storyId": "a--b"})
    row = record(
        world.repository,
        steps=step_list,
        outcome="timed_out",
        retry=2,
        error="Expected 3\nGot 4\n" + "at a line\n" * 150,
        commit="c0ffee" * 6,
        pull_request=7,
    )
    attach(row)
    return row


def test_a_list_of_the_default_length_has_a_line_for_each_recording(
    world: World, reader: Reader
) -> None:
    row = failed(world, 0)
    for number in range(49):
        record(world.repository, f"test {number}")
    lines = reader.text("list_recordings", repoId=world.repository.id).splitlines()
    assert lines[0] == "Recordings, newest first: 50, of which 1 show a failed test."
    assert lines[50].startswith(
        f'- {row.id} "Signing in": timed out, retry 2, "chromium", 1.5 s, "main" at "c0ffeec0" '
        "(pull request 7), 20"
    )
    assert "not listed here" not in "".join(lines)


def test_a_recording_shows_error_video_and_last_steps(world: World, reader: Reader) -> None:
    row = failed(world, 800)
    rendered = reader.result("get_recording", recordingId=row.id)
    text = rendered["content"][0]["text"]
    lines = text.splitlines()
    assert lines[1] == 'Test: "tests/sign-in.spec.ts", "Accounts", "Signing in".'
    assert lines[2].startswith('Error: "Expected 3\\nGot 4\\nat a line')
    assert len(lines[2]) > 1500
    assert (
        lines[3] == f"Video, for an hour: {rendered['structuredContent']['recording']['videoUrl']}"
    )
    assert lines[4] == 'Attachments: "trace.zip".'
    assert lines[5] == "Steps: 801, with their time in the video."
    assert lines[6].endswith("more earlier steps, not listed here")
    assert lines[-4:-2] == ['- 79.9 s "step 799"', f'- 80.0 s {ESCAPED}, story "a--b"']
    assert lines[-2].startswith("Page: http")
    assert lines[-1].startswith("Not in structuredContent: ")
    whole = count_tokens(text) + count_tokens(dump_json(rendered["structuredContent"]))
    assert whole <= MAX_TOKENS


def test_a_video_that_cannot_be_watched_shows_why_and_where_the_original_is(
    world: World, reader: Reader
) -> None:
    row = record(world.repository, status="failed", failure="It was cut.")
    lines = reader.text("get_recording", recordingId=row.id).splitlines()
    assert 'The video cannot be watched: "It was cut."' in lines
    assert any(line.startswith("Original, for an hour: http") for line in lines)


def test_enabling_disabling_and_deleting_describe_the_effect(world: World, reader: Reader) -> None:
    enabled = reader.text("enable_recordings", repoId=world.repository.id)
    assert f"Recordings of {world.repository.id} have been enabled since" in enabled
    assert "0.00 EUR a month" in enabled
    disabled = reader.text("disable_recordings", repoId=world.repository.id)
    assert "uploads are rejected and nothing is charged" in disabled
    enable(world.repository)
    row = record(world.repository)
    deleted = reader.text("delete_recording", recordingId=row.id)
    assert deleted == f'"Signing in" ({row.id}) was deleted with its video.'
    assert "no recordings" in reader.text("list_recordings", repoId=world.repository.id)
