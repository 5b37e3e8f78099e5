"""The rules of DESIGN.md, "Baselines and decisions", each as a function that checks one step.

The rules restate the program's duties as plainly as possible, and call none of the program's code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.support.review_snapshots import Key, Set, Snapshot, Step, key_of
from visual_review.builds.models import Build, ReviewEntry, Screenshot

DIFFERENCES = {"changed", "new", "removed"}
BLOCKING = {"changed", "new"}
UNDECIDED = {"unreviewed", "not_required"}
SINGLE = {"review_screenshot", "approve_story_screenshots"}


@dataclass(frozen=True)
class Invariant:
    """A rule: its ``number`` in the design, and an ``example``, a test in test_review_rules.py."""

    number: int
    example: str
    check: Callable[[Step], None]


INVARIANTS: list[Invariant] = []


def rule(
    number: int, *, example: str
) -> Callable[[Callable[[Step], None]], Callable[[Step], None]]:
    def register(check: Callable[[Step], None]) -> Callable[[Step], None]:
        INVARIANTS.append(Invariant(number, example, check))
        return check

    return register


@rule(1, example="test_a_restore_creates_a_version_with_the_older_set")
def an_earlier_move_keeps_its_set(step: Step) -> None:
    for baseline, sets in step.before.sets.items():
        assert step.after.sets[baseline][: len(sets)] == sets


@rule(1, example="test_a_baseline_has_one_image_for_a_story_and_variant")
def the_spans_of_a_story_and_variant_never_overlap(step: Step) -> None:
    for rows in step.after.entries.values():
        ends: dict[Key, int | None] = {}
        for row in sorted(rows, key=lambda each: each.from_version):
            if key_of(row) in ends:
                end = ends[key_of(row)]
                assert end is not None
                assert end <= row.from_version
            assert row.to_version is None or row.to_version > row.from_version
            ends[key_of(row)] = row.to_version


@rule(1, example="test_approving_twice_creates_one_version")
def moves_are_numbered_without_gaps_and_one_at_a_time(step: Step) -> None:
    for baseline, row in step.after.baselines.items():
        numbers = [version.sequence for version in step.after.versions[baseline]]
        assert numbers == list(range(1, row.last_version + 1))
    assert len(step.new_versions) <= 1


@rule(1, example="test_reject_build_changes_no_baseline_even_of_its_own")
def only_an_approval_or_a_restore_moves(step: Step) -> None:
    for version in step.new_versions:
        if version.kind == "restore":
            assert (step.name, version.build_id, version.created_by_name) == (
                "restore",
                None,
                step.by,
            )
            continue
        assert version.build_id == step.build_id
        build = step.after.builds[step.build_id]
        assert build.review_state == "approved"
        if version.kind == "carried_over":
            assert step.completed
            assert build.decision_source == "carried_over"
        else:
            assert (version.kind, step.decision) == ("approval", "approved")
            assert version.created_by_name == build.decided_by_name == step.by


@rule(1, example="test_a_restore_creates_a_version_with_the_older_set")
def a_restore_brings_the_named_set_back(step: Step) -> None:
    if step.name == "restore":
        sets = step.after.sets[step.baseline_id]
        assert sets[-1] == sets[step.restored]
        assert len(sets) == len(step.before.sets[step.baseline_id]) + 1


@rule(
    2, example="test_a_pull_request_is_compared_with_its_base_branch_and_changes_its_own_baseline"
)
def a_build_moves_no_other_branch_than_its_own(step: Step) -> None:
    own = step.after.own_baseline(step.build_id) if step.build_id else step.baseline_id
    for baseline, sets in step.before.sets.items():
        if baseline != own:
            assert step.after.sets[baseline] == sets


@rule(2, example="test_a_forks_main_is_another_branch")
def a_forks_branch_has_a_line_of_its_own(step: Step) -> None:
    for baseline, versions in step.after.versions.items():
        line = step.after.baselines[baseline]
        for version in versions:
            if version.build_id:
                build = step.after.builds[version.build_id]
                assert (build.head_repository, build.branch) == (line.head_repository, line.branch)


@rule(2, example="test_removed_stories_leave_the_baseline_with_the_approval")
def an_approved_full_build_is_the_set_in_its_matrix(step: Step) -> None:
    found = _finalized(step)
    if found is None or found.build.is_partial:
        return
    expected = {key: image for key, image in found.old.items() if not _within(found.build, key)}
    for shot in step.after.counted(found.build.id):
        refused = shot.diff_state == "removed" and shot.review_decision == "rejected"
        if shot.diff_state == "failed" or refused:
            image = found.old.get(key_of(shot))
        else:
            image = shot.image_id
        if image is not None:
            expected[key_of(shot)] = image
    assert found.new == expected


@rule(2, example="test_a_partial_build_inherits_and_cannot_revert_a_newer_decision")
def a_partial_approval_leaves_alone_what_it_did_not_capture(step: Step) -> None:
    found = _finalized(step)
    if found is None or not found.build.is_partial:
        return
    shots = {key_of(shot): shot for shot in step.after.counted(found.build.id)}
    own = found.build.baseline_id == found.baseline
    for key in {*found.old, *found.new, *shots}:
        shot = shots.get(key)
        expected = found.old.get(key)
        if shot is not None and shot.diff_state == "removed":
            newer = own and expected is not None and expected != shot.baseline_image_id
            if shot.review_decision != "rejected" and not newer:
                expected = None
        elif shot is not None and shot.inherited:
            if found.first:
                expected = shot.image_id
        elif shot is not None and shot.diff_state != "failed":
            expected = shot.image_id
        assert found.new.get(key) == expected


@dataclass(frozen=True)
class FinalizedBuild:
    """A build's approval: the branch's set before and after; ``first`` without a set before."""

    build: Build
    baseline: str
    old: Set
    new: Set
    first: bool


def _finalized(step: Step) -> FinalizedBuild | None:
    if not step.new_versions or step.new_versions[0].build_id is None:
        return None
    version = step.new_versions[0]
    sets = step.after.sets[version.baseline_id]
    build = step.after.builds[step.build_id]
    return FinalizedBuild(build, version.baseline_id, sets[-2], sets[-1], version.sequence == 1)


def _within(build: Build, key: Key) -> bool:
    return [key[1], key[2]] in build.matrix


@rule(3, example="test_a_build_is_compared_with_the_first_baseline_that_its_rule_finds")
def a_build_is_compared_with_what_its_branch_says(step: Step) -> None:
    if "line" not in step.facts:
        return
    branch, fork, target = step.facts["line"]
    wanted = [("target_branch", target, "")] if target else [("own_branch", branch, fork)]
    build = step.after.builds[step.build_id]
    for name, wanted_branch, wanted_fork in [*wanted, ("default_branch", "main", "")]:
        for row in step.before.baselines.values():
            if (row.branch, row.head_repository) == (
                wanted_branch,
                wanted_fork,
            ) and row.last_version:
                chosen = (build.baseline_rule, build.baseline_id, build.baseline_version)
                assert chosen == (name, row.id, row.last_version)
                return
    assert (build.baseline_rule, build.baseline_id) == ("none", None)


@rule(4, example="test_a_rejection_finalizes_nothing_and_keeps_its_comment")
def a_rejection_moves_and_finalizes_nothing(step: Step) -> None:
    if step.decision == "rejected":
        assert not step.new_versions
        assert not step.result.finalized
        rejected = {step.before.shot(shot_id).diff_state for shot_id in step.shot_ids}
        before = step.before.builds[step.build_id].review_state
        after = step.after.builds[step.build_id].review_state
        # A decision that does not block an approval does not revoke one either.
        assert after == before if rejected == {"unchanged"} else after != "approved"


@rule(4, example="test_the_last_open_screenshot_finalizes_the_build")
def single_decisions_finalize_exactly_when_nothing_is_open(step: Step) -> None:
    if step.name not in SINGLE or step.decision != "approved":
        return
    shots = step.before.counted(step.build_id)
    decisions = {row.id: row.review_decision for row in shots} | dict.fromkeys(
        step.shot_ids, "approved"
    )
    blocking = [decisions[row.id] for row in shots if row.diff_state in BLOCKING]
    removed = [decisions[row.id] for row in shots if row.diff_state == "removed"]
    failed = any(row.diff_state == "failed" for row in shots)
    done = set(blocking or removed) == {"approved"} and not failed
    before = step.before.builds[step.build_id].review_state
    after = step.after.builds[step.build_id].review_state
    assert (after == "approved") is (done or before == "approved")
    taken_out = {
        row.id for row in shots if row.diff_state == "removed" and row.review_decision != "approved"
    } & set(step.shot_ids)
    # An approved build is in its baseline already: only a removal can still be accepted.
    creates = done and (before != "approved" or bool(taken_out))
    assert (bool(step.new_versions), step.result.finalized) == (creates, creates)


@rule(4, example="test_approve_build_includes_rejected_screenshots")
def deciding_a_build_decides_all_its_differences(step: Step) -> None:
    if step.name not in {"approve_build", "approve_all_screenshots", "reject_build"}:
        return
    assert step.after.builds[step.build_id].review_state == step.decision
    wanted = DIFFERENCES | ({"unchanged"} if step.name == "approve_all_screenshots" else set())
    for row in step.after.counted(step.build_id):
        if row.diff_state in wanted:
            assert row.review_decision == step.decision
        else:
            assert row.review_decision == step.before.shot(row.id).review_decision


@rule(4, example="test_a_failure_needs_approve_build_and_keeps_the_branchs_entry")
def an_approved_build_has_nothing_open_and_no_failure_left_unaccepted(step: Step) -> None:
    for build in step.after.builds.values():
        if build.review_state != "approved":
            continue
        shots = step.after.counted(build.id)
        assert {r.review_decision for r in shots if r.diff_state in BLOCKING} <= {"approved"}
        if any(row.diff_state == "failed" for row in shots):
            assert build.decision_source != "carried_over"


@rule(4, example="test_the_result_counts_the_accepted_removals")
def the_result_counts_the_accepted_removals(step: Step) -> None:
    if not step.decision:
        return
    shots = step.after.counted(step.build_id)
    accepted = [r for r in shots if (r.diff_state, r.review_decision) == ("removed", "approved")]
    assert step.result.accepted_removals == (len(accepted) if step.result.finalized else 0)


@rule(4, example="test_a_failure_needs_approve_build_and_keeps_the_branchs_entry")
def failed_pending_and_detected_screenshots_take_no_decision(step: Step) -> None:
    for rows in step.after.shots.values():
        for row in rows:
            if row.detection_only or row.diff_state in {"failed", "pending"}:
                # The image may have been readable at the decision.
                assert not row.review_decision


@rule(4, example="test_a_build_that_is_not_completed_cannot_be_decided")
def only_a_completed_build_is_decided(step: Step) -> None:
    for build in step.after.builds.values():
        if build.status != "completed":
            assert build.review_state == "unreviewed"
            assert not any(row.review_decision for row in step.after.shots[build.id])
            assert not any(row.build_id == build.id for row in step.after.log)


@rule(4, example="test_every_decision_stays_in_the_review_log")
def every_decision_stays_in_the_log(step: Step) -> None:
    kept = step.after.log[: len(step.before.log)]
    assert [_facts(row) for row in kept] == [_facts(row) for row in step.before.log]
    last = {row.screenshot_id: row for row in step.after.log if row.screenshot_id}
    for rows in step.after.shots.values():
        for shot in rows:
            entry = last.get(shot.id)
            logged = (entry.decision, entry.source, entry.decided_by_name) if entry else ("",) * 3
            assert logged == (shot.review_decision, shot.decision_source, shot.decided_by_name)
    for entry in step.after.log[len(step.before.log) :]:
        expected = (step.decision or "approved", step.by or entry.decided_by_name)
        # Only removals accepted by an approval may follow a decision of their own.
        assert (entry.decision, entry.decided_by_name) == expected


def _facts(row: ReviewEntry) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name != "_state"}


@rule(5, example="test_approving_an_older_build_is_a_rollback_with_a_warning")
def a_rollback_is_warned_of_and_never_carried_over(step: Step) -> None:
    for version in step.new_versions:
        before = step.before.versions[version.baseline_id]
        last = step.before.builds.get(before[-1].build_id or "") if before else None
        if version.build_id is None:
            continue
        back = last is not None and step.after.builds[version.build_id].number < last.number
        if version.kind == "carried_over":
            assert not back
        else:
            assert any("older" in warning for warning in step.result.warnings) is back


@rule(5, example="test_a_carried_over_approval_does_not_undo_a_restore")
def a_carried_over_approval_does_not_undo_a_restore(step: Step) -> None:
    for version in step.new_versions:
        build = step.after.builds.get(version.build_id or "")
        if version.kind == "carried_over" and build is not None:
            for earlier in step.before.versions[version.baseline_id]:
                assert earlier.kind != "restore" or earlier.created_at < build.created_at


@rule(6, example="test_a_second_push_needs_no_review")
def a_pair_is_carried_over_exactly_when_a_person_approved_it_last(step: Step) -> None:
    if not step.completed:
        return
    for shot in step.after.counted(step.build_id):
        carried = shot.decision_source == "carried_over"
        assert carried is (shot.diff_state in DIFFERENCES and _approved_before(step, shot))
        assert bool(shot.review_decision) is carried


def _approved_before(step: Step, shot: Screenshot) -> bool:
    build = step.after.builds[step.build_id]
    if build.baseline_id is None or shot.matches_former_baseline:
        return False
    decisions = [
        row
        for row in step.before.log
        if row.screenshot_id
        and row.source != "carried_over"
        # No one looked at a removal that was accepted along with its build.
        and not row.along_with_build
        and row.baseline_id == build.baseline_id
        and (key_of(row), row.left_image_id, row.right_image_id)
        == (key_of(shot), shot.baseline_image_id, shot.image_id)
    ]
    # A build of a fork takes over the approvals of its own branch only; rejections always count.
    decisions = [
        row
        for row in decisions
        if row.decision != "approved" or _may_count(step.after.builds, build, row)
    ]
    if not decisions or decisions[-1].decision != "approved":
        return False
    sets = step.after.sets[build.baseline_id][: build.baseline_version + 1]
    since = len(sets) - 1
    while since and sets[since - 1].get(key_of(shot)) == shot.baseline_image_id:
        since -= 1
    if not since:
        return True
    return decisions[-1].decided_at >= step.after.versions[build.baseline_id][since - 1].created_at


def _may_count(builds: Mapping[str, Build], build: Build, row: ReviewEntry) -> bool:
    decided = builds[row.build_id]
    if decided.pull_request is None or build.pull_request is None:
        same = (decided.head_repository, decided.branch) == (build.head_repository, build.branch)
    else:
        same = decided.pull_request == build.pull_request
    return same or not build.head_repository


@rule(6, example="test_going_back_to_a_former_image_needs_a_review_again")
def an_image_that_was_the_baseline_before_is_flagged_and_never_carried(step: Step) -> None:
    if not step.completed:
        return
    build = step.after.builds[step.build_id]
    sets = step.after.sets[build.baseline_id] if build.baseline_id else []
    for shot in step.after.counted(step.build_id):
        if shot.diff_state in DIFFERENCES and shot.image_id is not None:
            former = [each.get(key_of(shot)) for each in sets[: build.baseline_version + 1]]
            assert shot.matches_former_baseline is (shot.image_id in former)
        if shot.matches_former_baseline:
            assert shot.decision_source != "carried_over"


@rule(7, example="test_a_first_build_is_all_new_and_its_approval_makes_the_baseline")
def an_undecided_build_needs_no_review_exactly_when_nothing_differs(step: Step) -> None:
    for build in step.after.builds.values():
        if build.status == "completed" and build.review_state in UNDECIDED:
            states = {row.diff_state for row in step.after.counted(build.id)}
            nothing = not states & {*DIFFERENCES, "failed"}
            assert (build.review_state == "not_required") is nothing


@rule(8, example="test_a_recomparison_approves_nothing_and_skips_decided_builds")
def a_recomparison_decides_nothing_and_spares_decided_builds(step: Step) -> None:
    if step.name != "regions":
        return
    assert not step.new_versions
    assert len(step.after.log) == len(step.before.log)
    for build in step.before.builds.values():
        after = step.after.builds[build.id]
        if build.review_state in UNDECIDED:
            assert after.review_state in UNDECIDED
        else:
            assert _seen(step.before, build.id) == _seen(step.after, build.id)
        for row in step.before.shots[build.id]:
            assert step.after.shot(row.id).review_decision == row.review_decision


def _seen(snapshot: Snapshot, build_id: str) -> tuple[str, list[tuple[str, str]]]:
    rows = snapshot.shots[build_id]
    return snapshot.builds[build_id].review_state, [(row.id, row.diff_state) for row in rows]


@rule(9, example="test_a_matrix_that_shrinks_removes_nothing_and_one_that_grows_is_new")
def every_screenshot_is_what_its_baseline_makes_of_it(step: Step) -> None:
    if not step.completed:
        return
    build = step.after.builds[step.build_id]
    left = step.after.compared_set(step.build_id)
    ignored = step.facts["ignored"]
    shots = {key_of(row): row for row in step.after.shots[build.id]}
    for key, row in shots.items():
        assert row.diff_state == _expected_state(row, left.get(key), build, ignored), key
    covered = {key for key in left if _within(build, key)}
    assert covered <= shots.keys()


def _expected_state(row: Screenshot, left: int | None, build: Build, ignored: set[Key]) -> str:
    captured = bool(row.sha256)
    if row.detection_only or not _within(build, key_of(row)):
        return "unchanged"
    if captured and row.image_id is not None:
        if left is None:
            return "new"
        same = row.image_id == left or key_of(row) in ignored
        return "unchanged" if same else "changed"
    if row.message:
        return "failed"
    return "unchanged" if build.is_partial and row.story_id in build.story_ids else "removed"


@rule(9, example="test_a_detection_screenshot_is_never_reviewed")
def detection_enters_no_baseline_and_no_count(step: Step) -> None:
    for build in step.after.builds.values():
        if build.status != "completed":
            continue
        states = [row.diff_state for row in step.after.counted(build.id)]
        stored = (build.changed_count, build.new_count, build.removed_count, build.failed_count)
        assert stored == tuple(map(states.count, ("changed", "new", "removed", "failed")))
        for row in step.after.shots[build.id]:
            if row.detection_only:
                assert not _within(build, key_of(row))
                assert row.diff_state == "unchanged"


@rule(10, example="test_a_newer_build_supersedes_an_undecided_one")
def a_newer_build_supersedes_the_undecided_ones_of_its_branch(step: Step) -> None:
    newest = step.after.builds.get(step.build_id)
    for build in step.before.builds.values():
        expected = build.superseded_by_id
        if newest is not None and step.facts.get("published") and expected is None:
            same = (build.product_id, build.head_repository, build.branch) == (
                newest.product_id,
                newest.head_repository,
                newest.branch,
            )
            waiting = build.status in {"uploading", "processing", "completed"}
            undecided = build.review_state == "unreviewed" and waiting
            if same and undecided and build.number < newest.number:
                expected = newest.id
        assert step.after.builds[build.id].superseded_by_id == expected
