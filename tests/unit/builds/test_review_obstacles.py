"""Whatever is decided, a build is decided, has something open, or a warning names the way out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.review_obstacles import count_open, describe_obstacles
from visual_review.builds.reviewing.plan import (
    BuildBefore,
    SelectedShot,
    plan_decision,
    shots_to_decide,
)
from visual_review.builds.reviewing.requests import (
    BatchDecision,
    DecisionRequest,
    Selection,
)
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    REMOVED,
    UNREVIEWED,
    review_after_comparison,
    review_counts,
)

DECISIONS: tuple[BatchDecision, ...] = ("approved", "rejected")
STATES = (*DIFFERENCES, "unchanged", "failed")
BLANK = SelectedShot(
    *("", "", "light", "desktop", ""),
    detection_only=False,
    review_decision="",
    decision_source="",
    decided_by_id="",
    decided_by_name="",
    decided_client="",
    decided_at=None,
    comment="",
    carried_from_id="",
)
# Carried-over approvals are there before anyone decides.
shots = st.lists(
    st.sampled_from([(state, "") for state in STATES] + [("changed", "approved")]), max_size=5
)
steps = st.lists(
    st.tuples(
        st.sampled_from(("approved", "rejected", "cleared")),
        st.one_of(st.just("build"), st.just("everything"), st.integers(0, 4)),
    ),
    max_size=6,
)


@dataclass
class DecidedBuild:
    """A build in memory, decided by the same rules as rows."""

    shots: list[SelectedShot]
    state: str = field(init=False)

    def __post_init__(self) -> None:
        self.state = review_after_comparison(review_counts(self.pairs))

    @property
    def pairs(self) -> Counter[tuple[str, str]]:
        return Counter((shot.diff_state, shot.review_decision) for shot in self.shots)

    @property
    def obstacles(self) -> list[str]:
        return describe_obstacles(self.state, self.pairs)

    def decide(self, decision: BatchDecision, what: str | int) -> None:
        whole = isinstance(what, str)
        asked = Selection(whole_build=whole, unchanged=what == "everything")
        request = DecisionRequest(decision, asked)
        selected = [shot for shot in self.shots if self._is_selected(shot, what)]
        if (not selected and not whole) or (decision == "cleared" and self.state == APPROVED):
            return
        changed = shots_to_decide(selected, request)
        before = BuildBefore(self.state, review_counts(self.pairs), sets_baseline=False)
        self.state = plan_decision(before, changed, request).state
        after = "" if decision == "cleared" else decision
        ids = {shot.id for shot in changed}
        self.shots = [
            shot._replace(review_decision=after) if shot.id in ids else shot for shot in self.shots
        ]

    def approve(self, is_named: Callable[[SelectedShot], bool]) -> None:
        for number, shot in enumerate(self.shots):
            if shot.review_decision != "approved" and is_named(shot):
                self.decide("approved", number)

    @staticmethod
    def _is_selected(shot: SelectedShot, what: str | int) -> bool:
        if isinstance(what, int):
            return shot.id == str(what) and shot.diff_state != "failed"
        return shot.diff_state in DIFFERENCES or (
            what == "everything" and shot.diff_state == "unchanged"
        )


def reviewed(rows: Sequence[tuple[str, str]]) -> DecidedBuild:
    return DecidedBuild(
        [
            BLANK._replace(id=str(number), diff_state=state, review_decision=decision)
            for number, (state, decision) in enumerate(rows)
        ]
    )


def copy_of(build: DecidedBuild) -> DecidedBuild:
    copy = DecidedBuild(list(build.shots))
    copy.state = build.state
    return copy


@given(shots, steps)
def test_what_keeps_a_build_unreviewed_is_named_with_what_ends_it(
    rows: list[tuple[str, str]], decisions: list[tuple[BatchDecision, str | int]]
) -> None:
    build = reviewed(rows)
    for decision, what in decisions:
        build.decide(decision, what)
        if build.state == "rejected" and is_approved_but_failures(build):
            (text,) = build.obstacles
            assert "stays rejected" in text
            ended = copy_of(build)
            ended.decide("approved", "build")
            assert "approve_build" in text
            assert ended.state == "approved"
            continue
        if build.state != UNREVIEWED or count_open(build.pairs):
            assert not any("approve_build" in text for text in build.obstacles)
            continue
        text = build.obstacles[0]
        assert "approve_build" in text
        for whole in DECISIONS:
            ended = copy_of(build)
            ended.decide(whole, "build")
            assert ended.state == whole
        if "review_screenshot" in text:
            assert approve_named(build, text).state == "approved"


def is_approved_but_failures(build: DecidedBuild) -> bool:
    """Return whether single decisions can do no more, and the build is still rejected."""
    decisions = {shot.review_decision for shot in build.shots if shot.diff_state in DIFFERENCES}
    return decisions == {"approved"}


def approve_named(build: DecidedBuild, text: str) -> DecidedBuild:
    """Approve the screenshots counted in the warning with single decisions."""
    ended = copy_of(build)
    states = BLOCKING if "changed or new" in text else (REMOVED,)
    named = [shot for shot in ended.shots if shot.diff_state in states]
    assert f"{sum(shot.review_decision == 'rejected' for shot in named)} " in text or (
        "undecided" in text
    )
    ended.approve(lambda shot: shot.diff_state in states)
    return ended


def test_it_says_how_many_and_which_action(case: Case) -> None:
    for what, rows, state, expected in TEXTS:
        with case(what):
            assert describe_obstacles(state, Counter(rows)) == expected


REJECTED_ONE = ("changed", "rejected")
TEXTS: list[tuple[str, list[tuple[str, str]], str, list[str]]] = [
    ("undecided", [("new", ""), ("failed", "")], "unreviewed", []),
    ("decided", [REJECTED_ONE, ("failed", "")], "rejected", []),
    (
        "approved again after a rejection",
        [("changed", "approved"), ("failed", "")],
        "rejected",
        [
            (
                "1 screenshot failed and cannot be decided, so the build stays rejected although "
                "everything else is approved. approve_build approves the build all the same; or fix "
                "the stories and publish again."
            )
        ],
    ),
    (
        "failed",
        [("changed", "approved"), ("failed", ""), ("failed", "")],
        "unreviewed",
        [
            (
                "2 screenshots failed and cannot be decided. approve_build approves the build all "
                "the same, reject_build rejects it; or fix the stories and publish again."
            )
        ],
    ),
    (
        "failed and rejected",
        [REJECTED_ONE, ("failed", "")],
        "unreviewed",
        [
            (
                "1 screenshot failed and cannot be decided, and 1 is "
                "rejected. approve_build approves the build all the same, reject_build rejects it; "
                "or fix the stories and publish again."
            )
        ],
    ),
    (
        "rejected",
        [REJECTED_ONE, ("new", "rejected"), ("removed", "rejected")],
        "unreviewed",
        [
            (
                "2 changed or new screenshots are rejected, so the build stays unreviewed. Approve what "
                "is named with review_screenshot, or decide the build: approve_build approves the build, "
                "reject_build rejects it."
            )
        ],
    ),
    (
        "removals",
        [("removed", "rejected"), ("removed", ""), ("removed", "")],
        "unreviewed",
        [
            (
                "1 removed screenshot is rejected and 2 removed screenshots are undecided, so the "
                "build stays unreviewed. Approve what is named with review_screenshot, or decide the build: "
                "approve_build approves the build, reject_build rejects it."
            )
        ],
    ),
    (
        "unchanged",
        [("unchanged", "rejected")],
        "not_required",
        [
            (
                "1 unchanged screenshot is rejected, which decides nothing about the build: it is "
                "not required. reject_build rejects the build."
            )
        ],
    ),
    (
        "nothing",
        [("unchanged", "")],
        "unreviewed",
        [
            (
                "Only the build itself is left to decide: approve_build approves the build, "
                "reject_build rejects it."
            )
        ],
    ),
]
