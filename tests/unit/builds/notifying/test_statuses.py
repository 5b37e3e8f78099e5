"""The commit statuses for builds, by a table of examples and by properties."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.notifying.outbox import context_of
from visual_review.builds.notifying.statuses import (
    MAX_CHARACTERS,
    ORDER,
    Due,
    ProductSummary,
    describe_counts,
    product_status,
    summary_status,
    worst_of,
)
from visual_review.builds.states import ReviewState
from visual_review.builds.states import Status as BuildStatus

URL = "https://vr.example/builds/"


def summary_of(**facts: object) -> ProductSummary:
    facts = {"product_key": "web", "number": 7, "url": f"{URL}7", "status": "completed", **facts}
    return ProductSummary(**facts)  # type: ignore[arg-type]


product_summaries = st.builds(
    ProductSummary,
    product_key=st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True),
    number=st.integers(1, 10**9),
    url=st.just(URL),
    status=st.sampled_from(get_args(BuildStatus)),
    review_state=st.sampled_from(get_args(ReviewState)),
    failure=st.text(max_size=400),
    changed=st.integers(0, 20000),
    new=st.integers(0, 20000),
    removed=st.integers(0, 20000),
    failed=st.integers(0, 20000),
    unchanged=st.integers(0, 20000),
    rejected=st.integers(0, 20000),
)
dues = st.sampled_from(get_args(Due))


DESCRIPTIONS = [
    ({"status": "uploading"}, "failure", "pending", "Build #7: uploading and comparing"),
    ({"status": "processing"}, "failure", "pending", "Build #7: uploading and comparing"),
    (
        {"status": "failed", "failure": "No room."},
        "pending",
        "error",
        "Build #7 failed: No room.",
    ),
    (
        {"status": "expired", "failure": "Too late."},
        "pending",
        "error",
        "Build #7 expired: Too late.",
    ),
    ({"changed": 3, "new": 1}, "pending", "pending", "Review needed: 3 changed, 1 new"),
    (
        {"changed": 3, "rejected": 1},
        "failure",
        "failure",
        "Review needed: 3 changed, 1 rejected",
    ),
    ({"removed": 2}, "pending", "pending", "Review needed: 2 removed"),
    ({"failed": 2}, "pending", "failure", "Review needed: 2 failed"),
    (
        {"review_state": "approved", "changed": 1, "failed": 1},
        "failure",
        "success",
        "Approved: 1 changed, 1 failed",
    ),
    (
        {"review_state": "approved", "fully_carried_over": True, "new": 1},
        "pending",
        "success",
        "Approved by earlier decisions: 1 new",
    ),
    (
        {"review_state": "rejected", "changed": 2, "rejected": 2},
        "pending",
        "failure",
        "Rejected: 2 changed",
    ),
    (
        {"review_state": "not_required", "unchanged": 40},
        "failure",
        "success",
        "No visual changes (40 compared)",
    ),
]


def test_the_status_of_one_product(case: Case) -> None:
    for facts, due, state, description in DESCRIPTIONS:
        with case(description):
            found = product_status(summary_of(**facts), due)
            assert (found.state, found.description, found.url) == (state, description, f"{URL}7")


def test_the_summary_of_one_product_is_its_status() -> None:
    one = summary_of(changed=1)
    assert summary_status([one], "pending") == product_status(one, "pending")


def test_without_a_build_there_is_no_summary() -> None:
    assert summary_status([], "pending") is None


def test_the_summary_links_to_the_worst_build() -> None:
    good = summary_of(number=1, url="1", review_state="approved")
    broken = summary_of(number=2, url="2", status="failed")
    found = summary_status([good, broken, summary_of(number=3, url="3")], "failure")
    assert found is not None
    assert (found.state, found.url) == ("error", "2")
    assert found.description == "3 products: 1 broken, 1 to review, 1 passed"


@given(st.lists(product_summaries, min_size=1, max_size=30), dues)
def test_the_summary_succeeds_only_if_all_products_do(
    found: list[ProductSummary], due: Due
) -> None:
    summary = summary_status(found, due)
    states = {product_status(one, due).state for one in found}
    assert summary is not None
    assert (summary.state == "success") == (states == {"success"})
    assert summary.state in states
    assert ("error" in states) == (summary.state == "error")


@given(product_summaries, dues)
def test_descriptions_fit_on_one_line(one: ProductSummary, due: Due) -> None:
    description = product_status(one, due).description
    assert 0 < len(description) <= MAX_CHARACTERS
    assert description.isprintable()


@given(product_summaries, dues)
def test_success_needs_a_completed_build_that_was_accepted(one: ProductSummary, due: Due) -> None:
    accepted = one.status == "completed" and one.review_state in {"approved", "not_required"}
    assert (product_status(one, due).state == "success") == accepted


@given(st.lists(product_summaries, min_size=1, max_size=10))
def test_the_worst_is_one_of_them(found: list[ProductSummary]) -> None:
    worst = worst_of(found)
    assert all(ORDER.index(worst.verdict) <= ORDER.index(one.verdict) for one in found)


def test_names_and_counts() -> None:
    assert context_of("web") == "visual-review/web"
    assert describe_counts(summary_of()) == "no differences"
