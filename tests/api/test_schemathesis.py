"""The REST interface called by schemathesis, with nothing but its schema, and with all checks.

The phases of examples and coverage list the same calls in every run; only the number of random
calls depends on the depth.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.support.api_keys import user_key
from tests.support.database import current_personas
from tests.support.depth import rounds, seed
from tests.support.recording_rows import record
from tests.support.worlds import World
from visual_review.actions.extended.decision_input import format_seen
from visual_review.actions.registry import extended_actions
from visual_review.builds.models import Screenshot

ROOT = Path(__file__).resolve().parents[2]
HOOKS = "tests.support.schemathesis_hooks"
EXAMPLES = rounds(4, 25)
SPENT = 40
# Valid cursors, numbers and names of screenshots depend on stored builds, so a schema cannot
# describe the accepted strings.
CONFIGURATION = "\n".join(
    f"""[[operations]]
include-path = "/api/rest/actions/{action.name}"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429", "5xx"]
"""
    for action in extended_actions()
)


# A thousand calls, and in the deep run minutes of them on a busy machine.
@pytest.mark.timeout(900)
@pytest.mark.search
@pytest.mark.django_db(transaction=True)
def test_schemathesis_finds_nothing(live_server: LiveServer, tmp_path: Path) -> None:
    alice = current_personas().alice
    world = World(alice)
    approved = world.publish({"a": "red", "b": "blue"})
    world.approve(approved)
    changed = world.publish({"a": "green", "b": "error", "c": "white"})
    uploading = world.upload({"a": "yellow"}, branch="x")
    known = {
        "repoId": [world.repository.id],
        "spentRepoId": [
            World(alice, f"acme/spent-{number}").repository.id for number in range(SPENT)
        ],
        "recordingId": [record(world.repository, f"kept {number}").id for number in range(3)],
        "spentRecordingId": [
            record(world.repository, f"spent {number}").id for number in range(SPENT)
        ],
        "buildId": [approved.id, changed.id, uploading.id],
        "seen": [format_seen(build.id) for build in (approved, changed, uploading)],
        "screenshotId": list(Screenshot.objects.values_list("pk", flat=True)),
        "storyId": ["a"],
        "productKey": ["default"],
    }
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    run = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run"),
            f"{live_server.url}/api/openapi.json",
            *("--header", f"Authorization: Bearer {user_key(alice)}"),
            *("--checks", "all", "--max-examples", str(EXAMPLES), "--seed", str(seed())),
            # Shrinking and health checks judge the made-up data, not the service.
            *("--continue-on-failure", "--no-color", "--suppress-health-check", "all"),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SCHEMATHESIS_HOOKS": HOOKS,
            "VISUAL_REVIEW_KNOWN_IDS": json.dumps(known),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-5_000:]
    # Without real ids the calls would not get past the look-up, and nothing would be tried.
    assert "Missing test data" not in run.stdout, run.stdout[-3_000:]
