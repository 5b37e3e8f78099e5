"""What a request does to the build, and what it has to ask about."""

from tests.support.case import Case
from visual_review.builds.reviewing.plan import (
    BuildBefore,
    DecisionPlan,
    SelectedShot,
    find_conflicts,
    plan_decision,
    shots_to_decide,
)
from visual_review.builds.reviewing.requests import (
    BatchDecision,
    DecisionRequest,
    Selection,
)
from visual_review.builds.states import ReviewCounts


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


# What is asked, the build's state, its counts, the screenshots that change, and the plan.
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
