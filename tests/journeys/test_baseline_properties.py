"""Any order of publishing, deciding, restoring and comparing again keeps the design's rules."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.baseline_rules import INVARIANTS
from tests.support.case import Case
from tests.support.depth import DEEP, rounds
from tests.support.personas import Persona, Personas
from tests.support.review_snapshots import Key, Snapshot, Step, key_of, look
from tests.support.worlds import DESKTOP, World, announce
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.log import SYSTEM
from visual_review.builds.comparing.complete import complete_recomparison, fail_build
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.uploads import expire_builds
from visual_review.builds.variants import Variant
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError

EXAMPLES_OF_RULES: Final = Path(__file__).parents[1] / "actions" / "test_review_rules.py"
EXAMPLES: Final = rounds(8, 120)
STEPS: Final = 24
# Shrinking on a real database takes minutes; only the deep run has them.
PHASES: Final = tuple(Phase) if DEEP else (Phase.explicit, Phase.reuse, Phase.generate)
WIDE: Final = (*DESKTOP, Variant("dark", "desktop"))
DARK: Final = (Variant("dark", "desktop"),)
PHONE: Final = Variant("light", "phone")
WHOLE: Final = [{"x": 0, "y": 0, "width": 1, "height": 1}]
# Branch, fork, and the branch a pull request targets.
LINES: Final = (
    ("main", "", ""),
    ("main", "", ""),
    ("feature", "", "main"),
    ("feature", "", ""),
    ("main", "someone/web", "main"),
    ("release", "", "feature"),
)
REQUEST: Final = LINES[2]

stories = st.sampled_from("abc")
colors = st.sampled_from(["red", "red", "green", "blue", "error"])
pictures = st.dictionaries(stories, colors, max_size=3)
lines = st.sampled_from(LINES)
matrices = st.sampled_from([DESKTOP, DESKTOP, WIDE, DARK])
# Counted from the newest, the subject of most decisions.
places = st.integers(0, 5)


class Reviews(RuleBasedStateMachine):
    """Drives the real domain, and looks at every invariant after each step."""

    personas: Personas

    def __init__(self) -> None:
        super().__init__()
        self.undone = transaction.atomic()
        self.undone.__enter__()
        self.world = World(self.personas.bob)
        self.ignored: set[Key] = set()
        self.seen = look()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undone.__exit__(None, None, None)

    @initialize(shots=pictures)
    def begin_with_a_baseline(self, shots: Mapping[str, str]) -> None:
        self.publish_and_approve(shots, LINES[0])

    @rule(shots=pictures, line=lines, matrix=matrices, measured=st.booleans())
    def publish_everything(
        self,
        shots: Mapping[str, str],
        line: tuple[str, str, str],
        matrix: tuple[Variant, ...],
        *,
        measured: bool,
    ) -> None:
        build = self.upload(shots, line, matrix, None, measured=measured)
        self.finish(build, line)

    @rule(shots=pictures, others=st.sets(stories), line=lines, matrix=matrices)
    def publish_a_part(
        self,
        shots: Mapping[str, str],
        others: set[str],
        line: tuple[str, str, str],
        matrix: tuple[Variant, ...],
    ) -> None:
        build = self.upload(shots, line, matrix, {*shots, *others})
        self.finish(build, line)

    @rule(shots=pictures, line=lines)
    def approve_a_request_and_publish_it_again(
        self, shots: Mapping[str, str], line: tuple[str, str, str]
    ) -> None:
        """A second push, or a merge: the cases of the carried-over rule."""
        self.publish_and_approve(shots, REQUEST)
        self.finish(self.upload(shots, line, DESKTOP, None), line)

    @rule(shots=pictures, line=lines)
    def upload_and_leave(self, shots: Mapping[str, str], line: tuple[str, str, str]) -> None:
        build = self.upload(shots, line, DESKTOP, None)
        self.check("upload", build_id=build.id, facts={"line": line})

    @precondition(lambda self: self.waiting())
    @rule(place=places, end=st.sampled_from(["finish", "finish", "fail", "expire"]))
    def end_an_upload(self, place: int, end: str) -> None:
        build = _pick(self.waiting(), place)
        if end == "expire":
            old = now() - timedelta(days=1)
            Build.objects.filter(pk=build.pk).update(last_upload_at=old)
            expire_builds()
            self.check("expire", build_id=build.id)
        elif end == "fail":
            finish_shard(self.world.repository, build.id, 1, SYSTEM)
            fail_build(build.id, "It could not be compared.")
            self.check("fail", build_id=build.id, facts={"published": True})
        else:
            self.finish(build, None)

    @precondition(lambda self: self.waiting())
    @rule(place=places, name=st.sampled_from(["approve_build", "reject_build"]))
    def try_to_decide_an_upload(self, place: int, name: str) -> None:
        build = _pick(self.waiting(), place)
        with pytest.raises(ConflictError, match="uploading"):
            self.world.act(name, buildId=build.id)
        self.check("refused")

    @precondition(lambda self: self.completed())
    @rule(place=places, shot=places, state=st.sampled_from(["approved", "approved", "rejected"]))
    def review_a_screenshot(self, place: int, shot: int, state: str) -> None:
        build = _pick(self.completed(), place)
        rows = self.seen.shots[build.id]
        if not rows:
            return
        row = rows[shot % len(rows)]
        if row.diff_state == "failed" or row.detection_only:
            with pytest.raises(ConflictError):
                self.world.act("review_screenshot", screenshotId=row.id, state=state)
            self.check("refused")
            return
        self.decide("review_screenshot", build, (row.id,), state, screenshotId=row.id, state=state)

    @precondition(lambda self: self.completed())
    @rule(place=places, story=stories)
    def approve_a_story(self, place: int, story: str) -> None:
        build = _pick(self.completed(), place)
        rows = [row for row in self.seen.counted(build.id) if row.story_id == story]
        ids = tuple(row.id for row in rows if row.diff_state in {"changed", "new"})
        if ids:
            name = "approve_story_screenshots"
            self.decide(name, build, ids, "approved", buildId=build.id, storyId=story)

    @precondition(lambda self: self.completed())
    @rule(place=places, name=st.sampled_from(["approve_build", "approve_all_screenshots"]))
    def approve_a_build(self, place: int, name: str) -> None:
        build = _pick(self.completed(), place)
        self.decide(name, build, (), "approved", buildId=build.id)

    @precondition(lambda self: self.completed())
    @rule(place=places)
    def approve_the_newest_build(self, place: int) -> None:
        self.approve_a_build(place % 2, "approve_build")

    @precondition(lambda self: self.completed())
    @rule(place=places)
    def reject_a_build(self, place: int) -> None:
        build = _pick(self.completed(), place)
        self.decide("reject_build", build, (), "rejected", buildId=build.id)

    @precondition(lambda self: self.restorable())
    @rule(place=places, version=places)
    def restore(self, place: int, version: int) -> None:
        baseline = _pick(self.restorable(), place)
        number = 1 + version % (baseline.last_version - 1)
        result = self.world.act("restore_baseline", baselineId=baseline.id, version=number)
        self.check("restore", baseline_id=baseline.id, restored=number, by="Bob", result=result)

    @precondition(lambda self: self.undecided())
    @rule(story=stories, ignored=st.booleans())
    def set_regions(self, story: str, *, ignored: bool) -> None:
        place = {"storyId": story, "theme": "light", "device": "desktop"}
        regions = WHOLE if ignored else []
        self.world.act(
            "set_dynamic_regions", repoId=self.world.repository.id, **place, regions=regions
        )
        key = (story, "light", "desktop")
        (self.ignored.add if ignored else self.ignored.discard)(key)
        # The background jobs of all builds with the variant.
        for build in Build.objects.select_related("repository", "product"):
            complete_recomparison(build.id, remeasure_build(build))
        self.check("regions")

    def publish_and_approve(self, shots: Mapping[str, str], line: tuple[str, str, str]) -> None:
        build = self.upload(shots, line, DESKTOP, None)
        self.finish(build, line)
        self.decide("approve_build", build, (), "approved", buildId=build.id)

    def upload(
        self,
        shots: Mapping[str, str],
        line: tuple[str, str, str],
        matrix: tuple[Variant, ...],
        existing: Iterable[str] | None,
        *,
        measured: bool = False,
    ) -> Build:
        branch, fork, target = line
        detection = (PHONE,) if measured else ()
        build = self.world.upload(
            shots,
            branch,
            fork=fork,
            target=target,
            stories=existing,
            matrix=matrix,
            detection_variants=detection,
        )
        images = self.world.store(shots.values())
        extra = [
            announce(story, PHONE, **images[color])
            for story, color in shots.items()
            if measured and color != "error"
        ]
        if extra:
            add_screenshots(self.world.repository, build.id, 1, extra)
        return build

    def finish(self, build: Build, line: tuple[str, str, str] | None) -> None:
        finish_shard(self.world.repository, build.id, 1, SYSTEM)
        self.world.process(build)
        facts: dict[str, Any] = {"published": True, "ignored": set(self.ignored)}
        if line is not None:
            facts["line"] = line
        self.check("publish", build_id=build.id, facts=facts)

    def decide(
        self, name: str, build: Build, shot_ids: tuple[str, ...], decision: str, **payload: object
    ) -> None:
        by = self.someone()
        result = dispatch(any_action(name), by.caller, payload)
        self.check(
            name,
            build_id=build.id,
            shot_ids=shot_ids,
            decision=decision,
            by=by.user.name,
            result=result,
        )

    def someone(self) -> Persona:
        return self.personas.alice if len(self.seen.log) % 2 else self.personas.bob

    def check(self, name: str, **facts: Any) -> None:  # noqa: ANN401 - The step's fields.
        before, self.seen = self.seen, look()
        note(_words(self.seen))
        step = Step(name, before, self.seen, **facts)
        for invariant in INVARIANTS:
            invariant.check(step)

    def waiting(self) -> list[Build]:
        return [row for row in self.seen.builds.values() if row.status == "uploading"]

    def completed(self) -> list[Build]:
        return [row for row in self.seen.builds.values() if row.status == "completed"]

    def undecided(self) -> bool:
        """Whether regions could matter: some build waits, and was compared with something."""
        return any(
            row.baseline_id and row.review_state in {"unreviewed", "not_required"}
            for row in self.completed()
        )

    def restorable(self) -> list[Any]:
        return [row for row in self.seen.baselines.values() if row.last_version > 1]


def _pick(rows: list[Any], place: int) -> Any:  # noqa: ANN401 - Builds or baselines.
    """The row at ``place``, counted from the newest."""
    ordered = sorted(rows, key=lambda row: row.id, reverse=True)
    return ordered[place % len(ordered)]


def _words(seen: Snapshot) -> str:
    lines = []
    for build in seen.builds.values():
        line = f"{build.head_repository}:{build.branch}".lstrip(":")
        shots = [
            f"{' '.join(key_of(row))} {row.baseline_image_id}->{row.image_id} {row.diff_state}"
            f"{' inherited' if row.inherited else ''} {row.review_decision} {row.decision_source}"
            for row in seen.shots[build.id]
        ]
        lines.append(f"#{build.number} {line} {build.status} {build.review_state} {shots}")
    for pk, baseline in seen.baselines.items():
        lines.append(f"baseline {baseline} {seen.sets[pk]}")
    return "\n".join(lines)


@pytest.mark.search
@pytest.mark.timeout(0)
def test_any_order_of_steps_keeps_the_rules(personas: Personas) -> None:
    machine = type("Machine", (Reviews,), {"personas": personas})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=PHASES,
        ),
    )


def test_every_rule_has_an_example_beside_it(case: Case) -> None:
    examples = EXAMPLES_OF_RULES.read_text()
    for invariant in INVARIANTS:
        with case(invariant.check.__name__):
            assert f"def {invariant.example}(" in examples
