"""Rules 2, 6 and 9 of the design: a branch's set after an approval."""

from datetime import UTC, datetime, timedelta

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.baselines.sets import Approval, Entry, Shot, difference, entries_after
from visual_review.builds.reviewing.carry_over_rules import PairDecision, PairHistory, carries_over
from visual_review.builds.variants import VariantKey

LIGHT = ("light", "desktop")
DARK = ("dark", "desktop")
VARIANTS = (LIGHT, DARK)
A, B, C = (VariantKey(story, *LIGHT) for story in "abc")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

keys = st.builds(
    lambda story, variant: VariantKey(story, *variant),
    st.sampled_from("abc"),
    st.sampled_from(VARIANTS),
)
images = st.integers(1, 4)
sets = st.dictionaries(keys, st.builds(Entry, images))
matrices = st.sampled_from([frozenset({LIGHT}), frozenset({DARK}), frozenset(VARIANTS)])
Set = dict[VariantKey, Entry]


@st.composite
def shots_in(draw: st.DrawFn, matrix: frozenset[tuple[str, str]], *, partial: bool) -> list[Shot]:
    """Screenshots of a build, each story and variant at most once."""
    found = []
    for key in sorted(draw(st.sets(keys))):
        if key.variant not in matrix:
            found.append(Shot(key, "unchanged", draw(images), detection_only=True))
            continue
        state = draw(st.sampled_from(["unchanged", "changed", "new", "removed", "failed"]))
        left = None if state == "new" else draw(images)
        right = None if state in {"removed", "failed"} else draw(images)
        if state == "unchanged":
            right = left
        inherited = partial and state == "unchanged" and draw(st.booleans())
        rejected = state == "removed" and draw(st.booleans())
        found.append(Shot(key, state, right, left, inherited=inherited, rejected=rejected))
    return found


@st.composite
def approvals(
    draw: st.DrawFn, *, partial: bool | None = None
) -> tuple[Set, Approval, list[Shot], Set]:
    """A branch's set, an approved build, and the set after the approval."""
    is_partial = draw(st.booleans()) if partial is None else partial
    matrix = draw(matrices)
    current = draw(sets)
    approval = Approval(is_partial, matrix, draw(st.booleans()), branch_is_new=not current)
    shots = draw(shots_in(matrix, partial=is_partial))
    return current, approval, shots, entries_after(current, approval, shots)


ApprovedSet = tuple[Set, Approval, list[Shot], Set]


def full(*shots: Shot, matrix: tuple[tuple[str, str], ...] = (LIGHT,), **current: int) -> Set:
    approval = Approval(
        is_partial=False,
        matrix=frozenset(matrix),
        compared_with_own=True,
        branch_is_new=not current,
    )
    return entries_after(_set(current), approval, shots)


def partial(*shots: Shot, own: bool = True, new: bool = False, **current: int) -> Set:
    approval = Approval(
        is_partial=True, matrix=frozenset({LIGHT}), compared_with_own=own, branch_is_new=new
    )
    return entries_after(_set(current), approval, shots)


def _set(images: dict[str, int]) -> Set:
    return {VariantKey(story, *LIGHT): Entry(image) for story, image in images.items()}


def test_a_full_build_replaces_the_set() -> None:
    assert full(Shot(A, "changed", 2, 1), Shot(B, "new", 3), a=1, c=9) == _set({"a": 2, "b": 3})


def test_a_failure_keeps_the_branchs_current_entry() -> None:
    assert full(Shot(A, "failed", None, 1), a=7) == _set({"a": 7})
    assert full(Shot(A, "failed", None, 1), b=7) == {}


def test_a_rejected_removal_keeps_the_entry_and_an_accepted_one_ends_it() -> None:
    assert full(Shot(A, "removed", None, 1, rejected=True), a=1) == _set({"a": 1})
    assert full(Shot(A, "removed", None, 1), a=1) == {}


def test_a_variant_outside_the_matrix_is_untouched() -> None:
    dark = VariantKey("a", *DARK)
    approval = Approval(
        is_partial=False, matrix=frozenset({LIGHT}), compared_with_own=True, branch_is_new=False
    )
    assert entries_after({A: Entry(1), dark: Entry(2)}, approval, []) == {dark: Entry(2)}


def test_an_inherited_screenshot_takes_the_branchs_current_entry() -> None:
    inherited = Shot(A, "unchanged", 1, 1, inherited=True)
    assert partial(inherited, a=5) == _set({"a": 5})
    assert partial(inherited, b=5) == _set({"b": 5})


def test_a_new_branch_starts_from_the_baseline_its_partial_build_was_compared_with() -> None:
    inherited = Shot(A, "unchanged", 1, 1, inherited=True)
    assert partial(inherited, Shot(B, "new", 2), own=False, new=True) == _set({"a": 1, "b": 2})


def test_a_partial_removal_applies_only_while_the_entry_is_unchanged() -> None:
    removed = Shot(A, "removed", None, 1)
    assert partial(removed, a=1) == {}
    assert partial(removed, a=2) == _set({"a": 2})
    assert partial(removed, own=False, a=2) == {}


@given(approvals(partial=False))
def test_an_approved_full_build_becomes_the_baseline_within_its_matrix(
    approved: ApprovedSet,
) -> None:
    current, approval, shots, after = approved
    inside = {key: entry for key, entry in after.items() if key.variant in approval.matrix}
    expected = {}
    for shot in shots:
        kept = shot.diff_state == "failed" or (shot.diff_state == "removed" and shot.rejected)
        image = current[shot.key].image if kept and shot.key in current else shot.image
        if image is not None and not shot.detection_only:
            expected[shot.key] = image
    assert {key: entry.image for key, entry in inside.items()} == expected


@given(approvals())
def test_nothing_outside_the_matrix_changes(approved: ApprovedSet) -> None:
    current, approval, _, after = approved
    for key in {*current, *after}:
        if key.variant not in approval.matrix:
            assert after.get(key) == current.get(key)


@given(approvals(partial=True))
def test_a_partial_build_touches_only_what_it_captured_or_removed(approved: ApprovedSet) -> None:
    current, approval, shots, after = approved
    touched = {shot.key for shot in shots if not shot.inherited and shot.diff_state != "failed"}
    if approval.branch_is_new:
        touched |= {shot.key for shot in shots if shot.inherited}
    for key in {*current, *after} - touched:
        assert after.get(key) == current.get(key)


@given(approvals())
def test_detection_screenshots_do_not_enter_the_baseline(approved: ApprovedSet) -> None:
    current, approval, shots, after = approved
    kept = [shot for shot in shots if not shot.detection_only]
    assert after == entries_after(current, approval, kept)


@given(approvals())
def test_a_rejected_removal_and_a_failure_change_nothing(approved: ApprovedSet) -> None:
    current, _, shots, after = approved
    for shot in shots:
        if shot.diff_state == "failed" or (shot.diff_state == "removed" and shot.rejected):
            assert after.get(shot.key) == current.get(shot.key)


@given(approvals())
def test_the_same_approval_again_changes_nothing(approved: ApprovedSet) -> None:
    current, approval, shots, after = approved
    assume(current or not approval.is_partial)
    assert entries_after(after, approval, shots) == after


@given(sets, sets)
def test_a_difference_leads_from_one_set_to_the_other(before: Set, after: Set) -> None:
    change = difference(before, after)
    kept = {key: entry for key, entry in before.items() if key not in change.ended}
    assert not kept.keys() & change.begun.keys()
    assert {**kept, **change.begun} == after


@given(sets)
def test_an_unchanged_set_writes_nothing(same: Set) -> None:
    change = difference(same, dict(same))
    assert not change.ended
    assert not change.begun


CARRIED_OVER = [
    (True, 1, 0, False, True),
    (True, 0, 0, False, True),
    (True, 1, None, False, True),
    (True, -1, 0, False, False),
    (False, 1, 0, False, False),
    (True, 1, 0, True, False),
]


def test_a_pair_is_carried_over(case: Case) -> None:
    for approved, minutes, since, former, carried in CARRIED_OVER:
        with case(f"{approved} {minutes} {since} {former}"):
            last = PairDecision(approved, NOON + timedelta(minutes=minutes), "shot_1")
            history = PairHistory(last, None if since is None else NOON, former)
            assert carries_over(history) is carried


def test_an_undecided_pair_is_not_carried_over() -> None:
    assert not carries_over(PairHistory(None, None, right_was_baseline=False))
