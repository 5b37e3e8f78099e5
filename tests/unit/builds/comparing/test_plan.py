"""Plan the comparison of a build before any pixel is read; rules 2, 3 and 9."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.baselines.sets import Entry
from visual_review.builds.comparing.plan import CapturedShot, ComparisonPlan, Scope, plan_comparison
from visual_review.builds.variants import VariantKey

LIGHT = ("light", "desktop")
DARK = ("dark", "desktop")
A, B, C = (VariantKey(story, *LIGHT) for story in "abc")
DARK_A = VariantKey("a", *DARK)
FULL = Scope(frozenset({LIGHT}), None)

keys = st.builds(
    lambda story, variant: VariantKey(story, *variant),
    st.sampled_from("abc"),
    st.sampled_from([LIGHT, DARK]),
)
entries = st.dictionaries(keys, st.builds(Entry, st.integers(1, 3)))
stories = st.one_of(st.none(), st.frozensets(st.sampled_from("abc")))
matrices = st.sampled_from([frozenset({LIGHT}), frozenset({LIGHT, DARK})])


@st.composite
def planned(
    draw: st.DrawFn,
) -> tuple[list[CapturedShot], dict[VariantKey, Entry], Scope, ComparisonPlan]:
    scope = Scope(draw(matrices), draw(stories))
    captured = [
        CapturedShot(
            key,
            draw(st.one_of(st.none(), st.integers(1, 3))),
            detection_only=key.variant not in scope.matrix,
        )
        for key in sorted(draw(st.sets(keys)))
        if scope.stories is None or key.story_id in scope.stories
    ]
    baseline = draw(entries)
    return captured, baseline, scope, plan_comparison(captured, baseline, scope)


PlannedBuild = tuple[list[CapturedShot], dict[VariantKey, Entry], Scope, ComparisonPlan]


def test_without_a_baseline_every_screenshot_is_new() -> None:
    assert plan_comparison([CapturedShot(A, 1), CapturedShot(B, None)], {}, FULL) == ComparisonPlan(
        {A: "new", B: "failed"}, {}, {}
    )


def test_the_same_image_is_unchanged_and_another_is_compared() -> None:
    result = plan_comparison(
        [CapturedShot(A, 1), CapturedShot(B, 2)], {A: Entry(1), B: Entry(1)}, FULL
    )
    assert result.outcomes == {A: "unchanged", B: "compare"}


def test_a_full_build_removes_what_it_lacks_and_inherits_nothing() -> None:
    result = plan_comparison([CapturedShot(A, 1)], {A: Entry(1), C: Entry(3)}, FULL)
    assert (result.inherited, result.removed) == ({}, {C: Entry(3)})


def test_a_partial_build_inherits_what_exists_and_removes_what_does_not() -> None:
    scope = Scope(frozenset({LIGHT}), frozenset("ab"))
    result = plan_comparison([CapturedShot(A, 1)], {A: Entry(1), B: Entry(2), C: Entry(3)}, scope)
    assert (result.inherited, result.removed) == ({B: Entry(2)}, {C: Entry(3)})


def test_a_partial_build_without_stories_removes_all_of_its_matrix() -> None:
    scope = Scope(frozenset({LIGHT}), frozenset())
    assert plan_comparison([], {A: Entry(1), DARK_A: Entry(2)}, scope).removed == {A: Entry(1)}


def test_a_matrix_that_shrinks_removes_nothing_and_one_that_grows_is_new() -> None:
    baseline = {A: Entry(1), DARK_A: Entry(2)}
    assert plan_comparison([CapturedShot(A, 1)], baseline, FULL).removed == {}
    grown = Scope(frozenset({LIGHT, DARK}), None)
    result = plan_comparison([CapturedShot(A, 1), CapturedShot(DARK_A, 2)], {A: Entry(1)}, grown)
    assert result.outcomes == {A: "unchanged", DARK_A: "new"}


def test_a_detection_screenshot_is_never_new() -> None:
    result = plan_comparison([CapturedShot(DARK_A, 2, detection_only=True)], {}, FULL)
    assert result.outcomes == {DARK_A: "unchanged"}


@given(planned())
def test_every_screenshot_and_every_covered_entry_is_classified(case: PlannedBuild) -> None:
    captured, baseline, scope, result = case
    assert result.outcomes.keys() == {shot.key for shot in captured}
    covered = {key for key in baseline if key.variant in scope.matrix}
    parts = [result.outcomes.keys() & covered, result.inherited.keys(), result.removed.keys()]
    assert set().union(*parts) == covered
    assert sum(len(part) for part in parts) == len(covered)


@given(planned())
def test_only_a_partial_build_inherits_and_only_stories_that_exist(case: PlannedBuild) -> None:
    _, baseline, scope, result = case
    for key, entry in result.inherited.items():
        assert scope.stories is not None
        assert key.story_id in scope.stories
        assert entry == baseline[key]
    for key in result.removed:
        assert scope.stories is None or key.story_id not in scope.stories


@given(planned())
def test_pixels_are_read_only_for_two_different_images(case: PlannedBuild) -> None:
    captured, baseline, _, result = case
    for shot in captured:
        other = baseline.get(shot.key)
        differs = (
            not shot.detection_only
            and shot.image is not None
            and other is not None
            and other.image != shot.image
        )
        assert (result.outcomes[shot.key] == "compare") is differs
