"""``visual-review publish`` without a project token, against the service over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer
from scripts.demo_server import clean_environment

from tests.support.ci.identities import TokenIssuer, issuing, signed
from tests.support.ci.job import COMMIT, CommandResult, paint, run
from tests.support.ci.publish_client import connect
from tests.support.database import current_personas
from tests.support.servers.scripted import ScriptedResponse, serving
from visual_review.builds.models import Build
from visual_review.repositories.models import Repository

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def issuer(
    tmp_path: Path, settings: Settings, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TokenIssuer]:
    with issuing(tmp_path, settings, monkeypatch) as issuer:
        settings.PUBLIC_URL = live_server.url
        issuer.use(connect(current_personas().alice).repository.id)
        Repository.objects.update(identity_issuer=issuer.github)
        yield issuer


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    paint(folder, "button--primary--light-desktop", 200)
    return folder


def publish(folder: Path, url: str, *flags: str, **variables: str) -> CommandResult:
    arguments = ["publish", str(folder), "--commit", COMMIT, "--no-wait", *flags]
    return run(arguments, clean_environment({"VISUAL_REVIEW_URL": url, **variables}))


def test_a_job_of_github_requests_an_identity_token_and_publishes_its_branch(
    images: Path, issuer: TokenIssuer, live_server: LiveServer
) -> None:
    token = signed(issuer.push(sha=COMMIT))
    with serving(ScriptedResponse(body={"value": token})) as github:
        variables = {
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{github.url}/?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "of-the-job",
            "VISUAL_REVIEW_REPOSITORY": Repository.objects.get().id,
        }
        done = publish(images, f"{live_server.url}/", "--branch", "main", **variables)
    assert done.returncode == 0, done.stderr
    assert [build.status for build in Build.objects.all()] == ["processing"]
    # Requested once, for the job's repository, without the slash at the end of the service's URL.
    (request,) = github.seen
    assert request.path.endswith(f"audience={quote(issuer.audience, safe='')}")
    assert token not in done.stdout + done.stderr


def test_a_fork_that_claims_to_be_main_gets_an_error_and_no_build(
    images: Path, issuer: TokenIssuer, live_server: LiveServer
) -> None:
    token = signed(issuer.pull_request())
    variables = {"VISUAL_REVIEW_ID_TOKEN": token}
    done = publish(images, live_server.url, "--branch", "main", **variables)
    assert done.returncode == 2
    assert "pull requests only" in done.stderr
    assert token not in done.stdout + done.stderr
    assert not Build.objects.exists()


@pytest.mark.usefixtures("issuer")
def test_without_any_credential_both_kinds_are_named(images: Path, live_server: LiveServer) -> None:
    done = publish(images, live_server.url, "--branch", "main")
    assert done.returncode == 2
    for text in ("UI_REVIEW_TOKEN", "id-token: write", "id_tokens"):
        assert text in done.stderr
