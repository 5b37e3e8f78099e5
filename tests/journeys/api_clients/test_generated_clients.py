"""Clients that generators make from the document review a repository by all 20 actions."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from scripts.demo_server import DemoServer

from tests.support.api_clients.ci_machine import CiMachine, run_workflow
from tests.support.api_clients.generated import GENERATORS
from tests.support.api_clients.recording_proxy import RecordedCall, recording_proxy
from tests.support.case import Case
from visual_review.actions.registry import published_actions

# What the workflow sets, call by call: nothing else may be sent.
SENT = {
    "list_host_repos": [[]],
    "connect_repo": [["fullName"], ["fullName"]],
    "rotate_repo_token": [["repoId"]],
    "list_repos": [[]],
    "set_org_capture": [["themes"]],
    "set_repo_capture": [["devices", "repoId"]],
    "list_builds": [["repoId"]] * 4,
    "get_build": [["buildId"]] * 3,
    "approve_build": [["buildId"]],
    "review_screenshot": [["comment", "screenshotId", "state"]],
    "approve_story_screenshots": [["buildId", "storyId"]],
    "approve_all_screenshots": [["buildId"]],
    "set_dynamic_regions": [["device", "regions", "repoId", "storyId", "theme"]],
    "reject_build": [["buildId"]],
    "enable_recordings": [["repoId"]],
    "list_recordings": [["repoId"]],
    "get_recording": [["recordingId"]],
    "delete_recording": [["recordingId"]],
    "disable_recordings": [["repoId"]],
    "remove_repo": [["repoId"]],
}


@pytest.mark.deep
@pytest.mark.usefixtures("host_repository")
@pytest.mark.parametrize("name", GENERATORS)
def test_a_generated_client_uses_every_action(
    name: str, server: DemoServer, document: Path, tmp_path: Path, case: Case
) -> None:
    folder, machine = tmp_path / "client", tmp_path / "ci"
    folder.mkdir()
    machine.mkdir()
    program = GENERATORS[name](document, folder)
    with recording_proxy(server.url) as proxy:
        run_workflow(program, proxy.url, server.key, CiMachine(server, machine))
    assert SENT.keys() == {action.name for action in published_actions()}
    assert proxy.properties_sent() == SENT
    for number, call in enumerate(proxy.calls):
        with case(f"{number}: {call.action}"):
            check_response(json.loads(document.read_text()), call)


def check_response(document: dict[str, object], call: RecordedCall) -> None:
    """Check that the response is what the document says, formats included."""
    kind = "application~1json" if call.status == 200 else "application~1problem+json"
    path = f"#/paths/~1api~1rest~1actions~1{call.action}/post/responses/{call.status}"
    if call.status != 200:
        path = "#/components/responses/" + {400: "BadRequest", 404: "NotFound"}[call.status]
    schema = {"$ref": f"{path}/content/{kind}/schema", "components": document["components"]}
    schema["paths"] = document["paths"]
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    validator.validate(call.received)
