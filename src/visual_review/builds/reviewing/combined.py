"""One request with several decisions on a locked build, in the caller's transaction.

Each decision is carried out like a request of its own, under an id derived from the whole
request's. So a repeated request has one effect, whether all or some of its decisions were carried
out.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from django.db import transaction

from visual_review.builds.models import Build, DecisionBatch, Screenshot
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.reviewing.approval import Decider, FinalizeNeededError
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import FINALIZE, DecisionRequest
from visual_review.builds.reviewing.results import REQUEST_USED, DecisionResult, read_result
from visual_review.builds.states import APPROVED, BLOCKING
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

# Both parts of a derived id fit into its column.
_DIGEST_LENGTH: Final = 60
DecisionError = ConflictError | InvalidInputError | NotFoundError
BLOCKED: Final = (
    "It would approve the build, although another decision of the request was not carried out. "
    "Send both again, or decide the build."
)


class CombinedDecision(NamedTuple):
    """One decision of the request. ``position`` is its place there, from 0."""

    position: int
    request: DecisionRequest


@dataclass(frozen=True)
class DecisionOutcome:
    """The outcome of one decision: its result, or the reason for its failure."""

    position: int
    result: DecisionResult | None = None
    error: DecisionError | None = None


def derive_request_id(request_id: str, position: int) -> str:
    """Return the id for storing the decision at ``position`` of the request."""
    return f"{_prefix(request_id)}{position:03}"


def find_earlier(
    build: Build, decider: Decider, request_id: str, digest: str
) -> dict[int, DecisionResult]:
    """Return the same request's earlier results by position; ConflictError if it differs."""
    rows = DecisionBatch.objects.filter(
        build=build, decided_by_id=decider.id, request_id__startswith=_prefix(request_id)
    )
    batches = {int(row.request_id[-3:]): row for row in rows}
    if any(row.digest != digest for row in batches.values()):
        raise ConflictError(REQUEST_USED)
    pairs = count_by_state_and_decision(build) if batches else {}
    return {position: read_result(row, build, pairs) for position, row in batches.items()}


def decide_combined(
    organization_id: str,
    build: Build,
    decisions: Sequence[CombinedDecision],
    decider: Decider,
    *,
    failed: bool = False,
) -> list[DecisionOutcome]:
    """Carry out all possible decisions; the outcomes have the errors of the rest.

    ``failed``: another decision of the request cannot be carried out. Then none approves the build.
    """
    outcomes = []
    for decision in _in_order(build, decisions):
        outcome = _decide(organization_id, build, decision, decider, failed=failed)
        failed = failed or outcome.error is not None
        outcomes.append(outcome)
    return sorted(outcomes, key=lambda outcome: outcome.position)


def _decide(
    organization_id: str,
    build: Build,
    decision: CombinedDecision,
    decider: Decider,
    *,
    failed: bool,
) -> DecisionOutcome:
    request = decision.request
    if failed:
        request = replace(request, confirmed=request.confirmed - {FINALIZE})
    try:
        with transaction.atomic():
            result = decide(organization_id, build.pk, request, decider)
    except FinalizeNeededError as error:
        found = ConflictError(BLOCKED) if failed else error
        return DecisionOutcome(decision.position, error=found)
    except (ConflictError, InvalidInputError, NotFoundError) as error:
        return DecisionOutcome(decision.position, error=error)
    return DecisionOutcome(decision.position, result)


def _in_order(build: Build, decisions: Sequence[CombinedDecision]) -> list[CombinedDecision]:
    """Return the decisions in an order in which the build is approved by the last one, if at all.

    An approval of everything undecided must not come before a rejection that prevents the approval
    of the build, nor before an approval of a part.
    """
    approved = [each for each in decisions if each.request.decision == APPROVED]
    blocking = _find_blocking(build, (_named(each.request) for each in approved))

    def rank(decision: CombinedDecision) -> int:
        if decision.request.decision != APPROVED:
            return 0
        return 2 if blocking.intersection(_named(decision.request)) else 1

    return sorted(decisions, key=rank)


def _named(request: DecisionRequest) -> tuple[str, ...]:
    return (*request.selection.screenshots, *request.selection.members)


def _find_blocking(build: Build, named: Iterable[Collection[str]]) -> set[str]:
    """Return the screenshots that need an approval before the build is approved."""
    ids = [pk for each in named for pk in each]
    rows = Screenshot.objects.filter(build=build, pk__in=ids, diff_state__in=BLOCKING)
    return set(rows.exclude(review_decision=APPROVED).values_list("pk", flat=True))


def _prefix(request_id: str) -> str:
    return hashlib.sha256(request_id.encode()).hexdigest()[:_DIGEST_LENGTH] + "."
