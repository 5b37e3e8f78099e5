"""Any sequence of decisions and undos of two reviewers keeps rows, log and build consistent."""

from random import Random
from typing import Any

import pytest

from tests.support.deciding import build_row, decide, decided_rows, undo
from tests.support.depth import rounds, seed
from tests.support.personas import Persona, Personas
from tests.support.worlds import build_with_each_state
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.queries import count_screenshots
from visual_review.builds.reviewing.pair_history import ImagePair, load_pair_histories
from visual_review.builds.states import APPROVED, DIFFERENCES, finalizes
from visual_review.builds.variants import VariantKey
from visual_review.kernel.errors import ConflictError

pytestmark = pytest.mark.search

STEPS = 12
MANY = 1000
STORIES = ("other", "more", "gone")


class RandomReview:
    """Makes random decisions, and remembers the rows from before each."""

    def __init__(self, build: Build, people: tuple[Persona, ...], random: Random) -> None:
        self.build, self.people, self.random = build, people, random
        self.done: list[tuple[Persona, str, dict[str, Any], tuple[Any, ...]]] = []
        self.undone = 0
        # So many decisions, from the first, are remembered exactly.
        self.remembered = MANY

    def step(self) -> None:
        if self.done and self.random.random() < 0.4:
            self._undo(self.random.randrange(len(self.done)))
        else:
            self._decide()

    def _decide(self) -> None:
        person = self.random.choice(self.people)
        # Never everything: the build stays undecided, so that all can be undone.
        decision = self.random.choice(("approved", "rejected", "cleared"))
        whole = decision != "approved" and self.random.random() < 0.3
        before = decided_rows(self.build), build_row(self.build)
        chosen = self.random.sample(STORIES, self.random.randint(1, 2))
        selection: dict[str, Any] = {"build": True} if whole else {"shots": chosen}
        try:
            result = decide(person, self.build, decision, **selection, confirmed=["override"])
        except ConflictError:
            assert (decided_rows(self.build), build_row(self.build)) == before
        else:
            if result.undoable:
                self.done.append((person, result.decision_id, *before))

    def _undo(self, number: int) -> None:
        person, decision_id, rows, row = self.done[number]
        before = decided_rows(self.build), build_row(self.build)
        try:
            undo(person, self.build, decision_id)
        except ConflictError:
            assert (decided_rows(self.build), build_row(self.build)) == before
            return
        del self.done[number]
        self.undone += 1
        now = decided_rows(self.build)
        changed = [story for story in now if now[story] != before[0][story]]
        assert {story: now[story] for story in changed} == {story: rows[story] for story in changed}
        if number == len(self.done) and number < self.remembered:
            # Nothing was decided since, so every row is as before.
            assert (now, build_row(self.build)) == (rows, row)
        # The remembered later decisions contain the undone one.
        self.remembered = min(self.remembered, number)


def assert_consistent(build: Build) -> None:
    """The log's effective decision on each pair is the row's decision, which carries over."""
    build = Build.objects.get(pk=build.pk)
    shots = Screenshot.objects.filter(build=build, diff_state__in=DIFFERENCES)
    pairs = {
        shot: ImagePair(
            VariantKey(shot.story_id, shot.theme, shot.device),
            shot.baseline_image_id,
            shot.image_id,
        )
        for shot in shots
    }
    assert build.baseline_id is not None
    found = load_pair_histories(build.baseline_id, build.baseline_version, list(pairs.values()))
    for shot, pair in pairs.items():
        last = found[pair.key].last
        logged = "" if last is None else "approved" if last.approved else "rejected"
        assert logged == shot.review_decision
    assert build.review_state != APPROVED
    assert not finalizes(count_screenshots(build))


def test_rows_and_log_agree_after_any_sequence(personas: Personas) -> None:
    random = Random(seed())
    world, _ = build_with_each_state(personas.bob)
    undone = 0
    for number in range(rounds(3, 60)):
        # The failed screenshot keeps the build undecided.
        shots = {"same": "red", "other": "green", "more": "blue", "broken": "error"}
        # Or decisions of the round before would carry over.
        ReviewEntry.objects.all().delete()
        build = world.publish(shots, f"branch-{number}")
        reviewing = RandomReview(build, (personas.alice, personas.bob), random)
        for _ in range(STEPS):
            reviewing.step()
            assert_consistent(build)
        undone += reviewing.undone
    assert undone
