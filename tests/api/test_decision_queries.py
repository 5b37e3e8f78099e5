"""How many statements the decisions of a page send to the database, pinned."""

import json

import pytest

from tests.support.case import Case
from tests.support.deciding import decision_payload
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import build_with_groups
from visual_review.builds.models import DecisionBatch, ReviewEntry

# Three find the person, two read the rows and four what the page shows of the build.
DECISION = 15
# Its comment is written to a thread: the entry, the screenshot, the thread and its revision; and
# members, channels and authors who get the event are looked for.
THREAD = 8
# Reads what was decided, and all that was decided since.
UNDO = 20
PREVIEW = 8
# Messages are queued by one, and the jobs that deliver them by one.
NOTIFICATION = 2


@pytest.mark.parametrize("is_connected", [False, True])
def test_a_decision_sends_as_many_statements_as_pinned(
    case: Case, personas: Personas, *, is_connected: bool
) -> None:
    world, build = build_with_groups(personas.bob)
    if is_connected:
        world.connect_host()
    client = signed_in(personas.bob)
    notification = NOTIFICATION if is_connected else 0

    def count_statements(what: str, payload: dict[str, object] | None = None) -> int:
        url = f"/builds/{build.id}/{what}"
        with counted_statements() as statements:
            if payload is None:
                response = client.get(url)
            else:
                response = client.post(url, json.dumps(payload), "application/json")
        assert response.status_code == 200, response.content
        return len(statements)

    def decide(decision: str, **more: object) -> int:
        payload = decision_payload(build, decision, shots=["card--a", "card--d"], **more)
        del payload["buildId"]
        return count_statements("decisions", payload)

    with case("approved"):
        assert decide("approved") == DECISION + notification
    with case("rejected, with a comment that is posted"):
        assert decide("rejected", comment="No") == DECISION + THREAD + notification
    with case("previewed"):
        assert count_statements("approval.json") == PREVIEW
    with case("undone"):
        decide("approved")
        batch = DecisionBatch.objects.get()
        payload: dict[str, object] = {"requestId": "undo", "decisionId": batch.pk}
        assert count_statements("undo", payload) == UNDO + notification
        assert ReviewEntry.objects.filter(decision="undone").count() == 2
