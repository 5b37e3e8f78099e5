"""What a conversion may take follows the size and length of the video."""

from tests.support.case import Case
from visual_review.recordings.video.budgets import (
    MOST_PIXELS,
    START_MEMORY,
    START_SECONDS,
    VideoWork,
    most_frames,
    reading_budget,
    too_much_work,
)

HD = (1920, 1080)
SMALL = VideoWork(1_000_000, *HD).budget


def test_a_budget_grows_with_everything_that_takes_time(case: Case) -> None:
    larger = {
        "bytes": VideoWork(900_000_000, *HD),
        "frames": VideoWork(1_000_000, *HD, frames=1000),
        "audio": VideoWork(1_000_000, *HD, audio_packets=10_000),
        "frame size": VideoWork(1_000_000, 3840, 2160),
    }
    for name, work in larger.items():
        with case(name):
            assert work.budget.seconds > SMALL.seconds


def test_memory_follows_the_size_of_a_frame() -> None:
    assert VideoWork(10**9, *HD, frames=10**4).budget.memory == SMALL.memory
    assert VideoWork(10**6, 3840, 2160).budget.memory > SMALL.memory > START_MEMORY
    assert SMALL.memory < 1_500_000_000


def test_a_short_video_gets_minutes_and_not_half_an_hour() -> None:
    assert SMALL.seconds < 3 * START_SECONDS
    assert VideoWork(30_000_000, *HD, frames=30 * 25).budget.seconds < 5 * START_SECONDS
    assert reading_budget(31_000_000).seconds < 2 * START_SECONDS


def test_frames_are_limited_by_their_size_and_small_ones_too() -> None:
    assert most_frames(*HD) * HD[0] * HD[1] <= MOST_PIXELS
    # Twenty minutes of 1920 x 1080 at 24 frames a second.
    assert most_frames(*HD) >= 20 * 60 * 24
    assert most_frames(16, 16) == most_frames(100, 100)
    assert most_frames(8192, 8192) > 0


def test_the_refusal_says_what_the_limit_is_and_what_helps() -> None:
    message = str(too_much_work(3840, 2160))
    assert "more than 7,233 frames of 3840 x 2160 pixels" in message
    assert "Record a shorter or smaller video" in message
