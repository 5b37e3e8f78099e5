"""The pairs of a build are compared in threads, and stored some at a time."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from django.db import close_old_connections, connection
from pytest_django.fixtures import Settings

from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.threads import racers
from tests.support.worlds import SIZE, World, png, sha256, world_with_baseline
from visual_review.builds.comparing import pair_batches, verdict_cache
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.comparing.pair_batches import compare_pairs
from visual_review.builds.comparing.verdict_cache import Pair
from visual_review.builds.images.blob_keys import diff_image_key, image_key
from visual_review.builds.images.image_memory import SharedBudget
from visual_review.builds.models import Build, Comparison, Image
from visual_review.builds.retention.unused_images import delete_unused
from visual_review.builds.time_slices import TimeSliceEndedError, never_end
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.errors import UnavailableError

STORIES = 30
BEFORE = {f"story-{number}": "red" for number in range(STORIES)}
# The first is so similar to red that it passes as equal, the next ones are faint changes.
AFTER = {f"story-{number}": f"rgb({254 - 3 * number}, 0, 0)" for number in range(STORIES)}


@dataclass
class Changes:
    """A build whose screenshots all differ in bytes from the world's baseline."""

    world: World
    build: Build

    def process(self, check_time: Callable[[], None] = never_end) -> dict[str, str]:
        """Compare the build in this thread; return the states by story."""
        Build.objects.filter(pk=self.build.pk).update(status="processing")
        row = Build.objects.select_related("repository", "product").get(pk=self.build.pk)
        complete_build(row.id, measure_build(row, check_time))
        return self.world.states(self.build)


@scene
def upload_changes(persona: Persona, name: str = "acme/web") -> Changes:
    world = World(persona, name)
    world.approve(world.publish(BEFORE))
    return Changes(world, world.upload(AFTER))


@pytest.fixture
def changes(personas: Personas) -> Changes:
    return upload_changes(personas.alice)


@cache
def expected_states() -> dict[str, str]:
    """Return the states from comparing one pair after the other."""
    return {story: "changed" if differs(color) else "unchanged" for story, color in AFTER.items()}


def differs(color: str) -> bool:
    verdict, marks = compare_with_marks(png("red"), png(color))
    return not verdict.equal or analyze(marks).is_faintly_changed


def stop_after(calls: int) -> Callable[[], None]:
    numbers = count(1)

    def check_time() -> None:
        if next(numbers) > calls:
            raise TimeSliceEndedError

    return check_time


def stored_path(color: str) -> Path:
    folder = blob_store().folder
    assert folder is not None
    return folder / image_key(Image.objects.get(sha256=sha256(png(color))))


def test_each_screenshot_has_the_verdict_of_its_own_pair(changes: Changes) -> None:
    assert changes.process() == expected_states()
    assert set(expected_states().values()) == {"changed", "unchanged"}
    rows = Comparison.objects.all()
    assert len(rows) == STORIES
    # Nothing is drawn for equal images.
    drawn = {diff_image_key(row) for row in rows if row.diff_pixels or row.is_faintly_changed}
    assert set(blob_store().keys("diffs")) == drawn


def test_a_pair_that_cannot_be_compared_fails_its_screenshots_alone(changes: Changes) -> None:
    stored_path(AFTER["story-3"]).unlink()
    damaged = stored_path(AFTER["story-29"])
    damaged.write_bytes(damaged.read_bytes()[:-20])
    states = changes.process()
    assert states == {**expected_states(), "story-3": "failed", "story-29": "failed"}
    messages = [changes.world.shot(changes.build, f"story-{number}").message for number in (3, 29)]
    assert all(text.startswith("The comparison failed: ") for text in messages)
    assert "truncated" in messages[1]


def test_the_same_change_in_many_stories_is_compared_once(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = record_comparisons(monkeypatch)
    world = world_with_baseline(personas.alice, BEFORE)
    build = world.publish(dict.fromkeys(BEFORE, "blue"))
    assert world.states(build) == dict.fromkeys(BEFORE, "changed")
    assert len(compared) == 1


def test_known_verdicts_are_not_computed_again(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes.process()
    compared = record_comparisons(monkeypatch)
    assert changes.process() == expected_states()
    assert compared == []
    # A verdict of another engine does not count: its diff image has other bytes.
    monkeypatch.setattr(verdict_cache, "engine_key", lambda: "another-1")
    assert changes.process() == expected_states()
    assert len(compared) == STORIES
    assert Comparison.objects.count() == 2 * STORIES


def record_comparisons(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives the key of each compared pair."""
    compared: list[str] = []
    compare_one = pair_batches.compare_pair

    def record_one(organization_id: str, blobs: BlobStore, pair: Pair) -> object:
        compared.append(pair.key)
        return compare_one(organization_id, blobs, pair)

    monkeypatch.setattr(pair_batches, "compare_pair", record_one)
    return compared


def test_an_interrupted_build_keeps_all_verdicts_that_it_began(changes: Changes) -> None:
    for known in (1, 3, 10):
        began = Comparison.objects.count()
        with pytest.raises(TimeSliceEndedError):
            changes.process(stop_after(known))
        assert Comparison.objects.count() == began + known
    assert changes.process() == expected_states()
    assert Comparison.objects.count() == STORIES


def test_a_build_continues_after_the_storage_failed(changes: Changes) -> None:
    path = stored_path(AFTER["story-20"])
    away = path.parent.with_name("away")
    path.parent.rename(away)
    path.parent.write_bytes(b"")
    with pytest.raises(UnavailableError, match="storage failed to read"):
        changes.process()
    assert Comparison.objects.count() < STORIES
    path.parent.unlink()
    away.rename(path.parent)
    assert changes.process() == expected_states()


def test_pairs_that_exceed_the_memory_are_compared_one_at_a_time(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = SharedBudget(1, "Busy. Try again.")
    monkeypatch.setattr(pair_batches, "image_memory", lambda: budget)
    assert changes.process() == expected_states()


def test_an_image_beyond_a_limit_that_was_lowered_fails_in_words(
    changes: Changes, settings: Settings
) -> None:
    settings.IMAGE_MAX_PIXELS = SIZE * SIZE - 1
    assert changes.process() == dict.fromkeys(AFTER, "failed")
    message = changes.world.shot(changes.build, "story-0").message
    assert "the image is 4 x 4, 16 pixels; at most 15 are supported" in message


@pytest.mark.django_db(transaction=True)
def test_builds_of_two_organizations_share_the_threads() -> None:
    personas = current_personas()
    first = upload_changes(personas.alice)
    second = upload_changes(personas.mallory, "evil/web")
    with racers(2) as pool:
        assert pool.race(first.process, second.process) == [expected_states()] * 2
    assert Comparison.objects.count() == 2 * STORIES


@pytest.mark.search
@pytest.mark.django_db(transaction=True)
def test_diff_images_that_are_deleted_at_the_same_time_are_never_missing() -> None:
    changes = upload_changes(current_personas().alice)
    organization_id = changes.world.repository.organization_id
    before = Image.objects.get(sha256=sha256(png("red")))
    pairs = [Pair(before, image) for image in Image.objects.exclude(pk=before.pk)]
    stop = threading.Event()

    def delete() -> None:
        try:
            while not stop.is_set():
                delete_unused(organization_id, [], [pair.key for pair in pairs], blob_store())
        finally:
            connection.close()

    thread = threading.Thread(target=delete)
    thread.start()
    try:
        for _ in range(rounds(3, 50)):
            compare_pairs(organization_id, pairs, never_end)
    finally:
        stop.set()
        thread.join()
        close_old_connections()
    shown = Comparison.objects.filter(has_picture=True)
    assert {diff_image_key(row) for row in shown} <= set(blob_store().keys("diffs"))
    delete_unused(organization_id, [], [pair.key for pair in pairs], blob_store())
    assert list(blob_store().keys("diffs")) == []
