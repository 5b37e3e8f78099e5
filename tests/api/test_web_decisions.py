"""The JSON endpoints for deciding on the review page: responses, errors and sessions."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.case import Case
from tests.support.deciding import decide, decision_payload, group_with
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview
from visual_review.builds.models import Baseline, Build, ReviewEntry

DECISION, ID, FLAGS_COMMENT = 5, 0, 32


def post(client: Client, build: Build, payload: dict[str, Any], what: str = "decisions") -> Any:  # noqa: ANN401 - A test response.
    wanted = {name: value for name, value in payload.items() if name != "buildId"}
    return client.post(f"/builds/{build.id}/{what}", json.dumps(wanted), "application/json")


def test_a_decision_returns_the_build_and_its_rows(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    payload = decision_payload(build, "rejected", shots=["card--a"], comment="<i>No</i>")
    response = post(signed_in(personas.bob), build, payload)
    assert response.status_code == 200
    body = response.json()
    assert (body["decided"], body["finalized"], body["undoable"]) == (1, False, True)
    assert body["build"]["reviewState"] == "unreviewed"
    (row,) = body["screenshots"]
    assert (row[ID], row[DECISION], row[12] & FLAGS_COMMENT) == (
        world.shot(build, "card--a").id,
        2,
        FLAGS_COMMENT,
    )
    assert body["people"] == ["Bob"]
    assert body["cursor"].split("-")[1] == str(ReviewEntry.objects.latest("id").pk)


def test_rows_that_others_decided_meanwhile_are_returned_too(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    decide(personas.alice, build, "approved", shots=["card--d"])
    body = post(signed_in(personas.bob), build, payload).json()
    assert sorted(body["people"]) == ["Alice", "Bob"]
    assert len(body["screenshots"]) == 2


def test_an_undo_returns_the_rows_as_they_were(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    client = signed_in(personas.bob)
    done = post(client, build, decision_payload(build, "approved", shots=["card--a"])).json()
    payload = {"requestId": "undo", "decisionId": done["decisionId"], "seen": done["cursor"]}
    responses = [post(client, build, payload, "undo") for _ in range(2)]
    bodies = [response.json() for response in responses]
    assert [response.status_code for response in responses] == [200, 200]
    assert bodies[0] == bodies[1]
    assert [row[DECISION] for row in bodies[0]["screenshots"]] == [0]


def test_the_last_approval_and_conflicts_are_asked_about(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    client = signed_in(personas.bob)
    decide(personas.alice, build, "rejected", shots=["card--a"], comment="Too green")
    payload = decision_payload(build, "approved", build=True)
    response = post(client, build, payload)
    assert response.status_code == 409
    body = response.json()
    assert (body["needs"], body["conflictCount"]) == ("override", 1)
    conflict = body["conflicts"][0]
    assert conflict.pop("at")
    assert conflict == {
        "screenshotId": world.shot(build, "card--a").id,
        "decision": "rejected",
        "by": "Alice",
        "comment": "Too green",
    }
    body = post(client, build, {**payload, "confirmed": ["override"]}).json()
    assert (body["needs"], body["preview"]["version"]) == ("finalize", 2)
    assert body["preview"]["rejections"] == [{"by": "Alice", "count": 1}]
    assert body["preview"] == client.get(f"/builds/{build.id}/approval.json").json()
    assert not ReviewEntry.objects.filter(build=build, decision="approved").exists()
    body = post(client, build, {**payload, "confirmed": ["finalize", "override"]}).json()
    assert (body["finalized"], body["version"], body["build"]["reviewState"]) == (
        True,
        2,
        "approved",
    )


def test_an_approved_build_offers_the_restore(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    client = signed_in(personas.bob)
    done = post(client, build, decision_payload(build, "approved", shots=["card--a"])).json()
    world.approve(build)
    baseline = Baseline.objects.get(branch="main")
    undo = {"requestId": "undo", "decisionId": done["decisionId"]}
    for what, payload in (
        ("decisions", decision_payload(build, "cleared", shots=["card--a"])),
        ("undo", undo),
    ):
        response = post(client, build, payload, what)
        assert response.status_code == 409
        assert response.json()["restoreUrl"] == f"/baselines/{baseline.id}"
        assert "restore" in response.json()["error"]


def test_bad_requests_are_explained(grouped: BuildInReview, personas: Personas, case: Case) -> None:
    _, build = grouped
    client = signed_in(personas.bob)
    valid = decision_payload(build, "approved", shots=["card--a"])
    for changed, text in (
        ({"comment": "x" * 100_000}, "100,000 characters"),
        ({"decision": "perhaps"}, "approved"),
        ({"seen": "now"}, "cursor"),
        ({"seen": 5}, "/seen"),
        ({"screenshots": []}, "Nothing is selected"),
        ({"requestId": ""}, "/requestId"),
        ({"comment": "\0"}, "comment"),
        ({"unknown": 1}, "unknown"),
    ):
        with case(str(changed)[:40]):
            response = post(client, build, valid | changed)
            assert response.status_code == 400
            assert text in response.json()["error"]
    for body in (b"", b"[]", b"{", b"[" * 100_000):
        with case(body[:4]):
            response = client.post(f"/builds/{build.id}/decisions", body, "application/json")
            assert response.status_code == 400
            assert "JSON" in response.json()["error"]


def test_whoever_may_not_decide_gets_json(
    grouped: BuildInReview, personas: Personas, case: Case
) -> None:
    _, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    for name, client, status in (
        ("signed out", Client(), 401),
        ("viewer", signed_in(personas.carol), 403),
        ("another organization", signed_in(personas.mallory), 404),
    ):
        for what in ("decisions", "undo"):
            with case((name, what)):
                wanted = payload if what == "decisions" else {"requestId": "u", "decisionId": "d"}
                response = post(client, build, wanted, what)
                assert response.status_code == status
                assert response.json()["error"]
    assert "signInUrl" in post(Client(), build, payload).json()
    assert not ReviewEntry.objects.filter(build=build).exists()


def test_a_request_is_sent_again_after_signing_in(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    client = signed_in(personas.bob)
    client.logout()
    assert post(client, build, payload).status_code == 401
    client.force_login(personas.bob.user)
    assert post(client, build, payload).json()["decided"] == 1
    assert post(client, build, payload).json()["decided"] == 1
    assert ReviewEntry.objects.filter(build=build).count() == 1


def test_many_rows_are_left_to_the_index(
    grouped: BuildInReview, personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, build = grouped
    monkeypatch.setattr("visual_review.web.views.decisions.ROWS_AT_ONCE", 2)
    payload = decision_payload(build, "approved", groups=[group_with(build, "card--a")])
    body = post(signed_in(personas.bob), build, payload).json()
    assert (body["decided"], body["screenshots"]) == (3, None)


def test_many_screenshots_are_decided_with_as_few_queries_as_one(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    client = signed_in(personas.bob)
    counts = []
    for stories in (["card--d"], ["card--a", "card--b", "card--c"]):
        payload = decision_payload(build, "rejected", shots=stories)
        with CaptureQueriesContext(connection) as queries:
            assert post(client, build, payload).json()["decided"] == len(stories)
        counts.append(len(queries))
    assert counts[1] <= counts[0]
    assert world.fresh(build).review_state == "unreviewed"
