"""The effects of a request on the build, and the questions to ask."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.reviewing.evidence import (
    LONGEST_SIDE,
    SMALLEST_SCALE,
    find_visible,
    split,
)
from visual_review.builds.reviewing.plan import (
    BuildBefore,
    DecisionPlan,
    RejectionCount,
    SelectedShot,
    describe_overridden,
    find_conflicts,
    plan_decision,
    rank_rejections,
    shots_to_decide,
)
from visual_review.builds.reviewing.requests import (
    BatchDecision,
    DecisionRequest,
    Selection,
)
from visual_review.builds.states import ReviewCounts
from visual_review.imagediff import Box


def shot(name: str, diff_state: str = "changed", decision: str = "", by: str = "") -> SelectedShot:
    return SelectedShot(
        id=name,
        story_id=f"story-{name}",
        theme="light",
        device="desktop",
        diff_state=diff_state,
        detection_only=False,
        review_decision=decision,
        decision_source="user" if decision else "",
        decided_by_id=by,
        decided_by_name=by,
        decided_client="",
        decided_at=None,
        comment="",
        carried_from_id="",
    )


def request(decision: BatchDecision, comment: str = "", **selection: object) -> DecisionRequest:
    return DecisionRequest(decision, Selection(**selection), comment, "request")  # type: ignore[arg-type]


def whole(decision: BatchDecision) -> DecisionRequest:
    return request(decision, whole_build=True)


ONE = ReviewCounts(changed=1, open=1)
TWO = ReviewCounts(changed=2, open=2)
REJECTED = ReviewCounts(changed=2, open=2, rejected=1)
BOTH = ReviewCounts(changed=2, open=2, rejected=2)
DONE = ReviewCounts(changed=1)
APPROVED_SHOT = shot("a", decision="approved")
REJECTED_SHOT = shot("a", decision="rejected")
SAME = shot("a", "unchanged")
UNREVIEWED = ("unreviewed", False)


# The case, the build's state, its counts, the screenshots to change, the request, and the plan.
PLANS = [
    ("the last", "unreviewed", ONE, [shot("a")], request("approved"), ("approved", True)),
    ("one", "unreviewed", TWO, [shot("a")], request("approved"), ("unreviewed", False)),
    ("rejected", "unreviewed", TWO, [shot("a")], request("rejected"), ("unreviewed", False)),
    ("reopened", "approved", DONE, [APPROVED_SHOT], request("rejected"), ("unreviewed", False)),
    ("unchanged", "approved", DONE, [SAME], request("rejected"), ("approved", False)),
    ("all rejected", "unreviewed", TWO, [shot("a")], whole("rejected"), ("rejected", False)),
    ("all approved", "rejected", REJECTED, [shot("a")], whole("approved"), ("approved", True)),
    ("approved again", "approved", DONE, [], whole("approved"), ("approved", False)),
    ("nothing", "unreviewed", TWO, [], request("approved"), ("unreviewed", False)),
    ("one cleared", "rejected", BOTH, [REJECTED_SHOT], request("cleared"), ("rejected", False)),
    ("all cleared", "rejected", REJECTED, [REJECTED_SHOT], request("cleared"), UNREVIEWED),
    ("failures", "unreviewed", ReviewCounts(failed=1), [], whole("approved"), ("approved", True)),
]


def test_the_build_after_a_request(case: Case) -> None:
    for what, current, counts, shots, wanted, plan in PLANS:
        with case(what):
            before = BuildBefore(current, counts, sets_baseline=True)
            assert plan_decision(before, shots, wanted) == DecisionPlan(*plan)


def test_approving_another_build_than_the_baselines_again_creates_a_version() -> None:
    before = BuildBefore("approved", ReviewCounts(changed=1), sets_baseline=False)
    assert plan_decision(before, [], request("approved", whole_build=True)).approves


def test_only_what_changes_is_decided(case: Case) -> None:
    shots = [shot("a"), shot("b", decision="approved"), shot("c", decision="rejected")]
    named = {"screenshots": ("a", "b", "c")}
    for wanted, ids in (
        (request("approved", **named), "ac"),
        (request("rejected", **named), "ab"),
        (request("rejected", "New", **named), "abc"),
        (request("rejected", "New", stories=("x",)), "ab"),
        (request("cleared", **named), "bc"),
    ):
        with case(wanted):
            assert "".join(each.id for each in shots_to_decide(shots, wanted)) == ids


def test_what_is_asked_about(case: Case) -> None:
    shots = [
        shot("a"),
        shot("b", decision="approved", by="alice"),
        shot("c", decision="rejected", by="alice"),
        shot("d", decision="rejected", by="bob"),
    ]
    named = {"screenshots": ("a", "b", "c", "d")}
    for wanted, since, ids in (
        (request("approved", **named), "", ""),
        (request("approved", **named), "acd", "c"),
        (request("rejected", **named), "abcd", "bc"),
        (request("cleared", **named), "b", "b"),
        (request("approved", whole_build=True), "", "cd"),
        (request("approved", stories=("x",), screenshots=("c",)), "", "d"),
        (request("rejected", whole_build=True), "", ""),
    ):
        with case((wanted, since)):
            found = find_conflicts(shots, wanted, "bob", set(since))
            assert "".join(each.id for each in found) == ids


def test_it_says_how_many_and_whose(case: Case) -> None:
    for rejections, text in (
        ([], ""),
        ([("Bob", 1)], "1 rejection by Bob is overridden."),
        ([("Bob", 1200)], "1,200 rejections by Bob are overridden."),
        ([("Bob", 1), ("Carol", 1)], "2 rejections by Bob and Carol are overridden."),
        ([("A", 2), ("B", 1), ("C", 1)], "4 rejections by A, B and C are overridden."),
        (
            [("A", 1), ("B", 1), ("C", 1), ("D", 1)],
            "4 rejections by A, B, C and 1 other are overridden.",
        ),
        (
            [(f"N{number}", 1) for number in range(500)],
            "500 rejections by N0, N1, N2 and 497 others are overridden.",
        ),
        ([("", 1)], "1 rejection by Visual Review is overridden."),
    ):
        with case(text):
            assert describe_overridden([RejectionCount(*each) for each in rejections]) == text


def test_names_can_be_quoted() -> None:
    assert describe_overridden([RejectionCount("Bob", 1)], repr) == (
        "1 rejection by 'Bob' is overridden."
    )


def test_who_rejected_most_is_named_first() -> None:
    counted = Counter({"Bob": 1, "Carol": 2, "Alice": 1, "Dan": 0})
    found = [(each.by, each.count) for each in rank_rejections(counted)]
    assert found == [("Carol", 2), ("Alice", 1), ("Bob", 1)]


areas = st.builds(
    Box, st.integers(0, 900), st.integers(0, 900), st.integers(1, 2000), st.integers(1, 2000)
)


@given(areas)
def test_parts_cover_an_area_without_overlap(area: Box) -> None:
    parts = list(split(area))
    assert sum(part.width * part.height for part in parts) == area.width * area.height
    for part in parts:
        assert 0 < part.width <= LONGEST_SIDE
        assert 0 < part.height <= LONGEST_SIDE
        assert part.x >= area.x
        assert part.x + part.width <= area.x + area.width
        assert part.y >= area.y
        assert part.y + part.height <= area.y + area.height
    assert find_visible(parts, [area], 1) == list(range(len(parts)))
    assert find_visible(parts, parts, SMALLEST_SCALE) == list(range(len(parts)))


@given(areas)
def test_a_place_that_is_cut_off_or_too_small_is_not_visible(area: Box) -> None:
    parts = list(split(area))
    assert find_visible(parts, [area], SMALLEST_SCALE - 0.01) == []
    below = Box(area.x, area.y + 1, area.width, area.height)
    visible = find_visible(parts, [below], 1)
    assert visible == [n for n, part in enumerate(parts) if part.y > area.y]
