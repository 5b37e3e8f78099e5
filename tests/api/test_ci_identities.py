"""CI jobs that publish with an identity token: their rights, and every refusal."""

import base64
import hmac
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.ci.identities import (
    COMMIT,
    PUBLIC_URL,
    REPOSITORY_ID,
    TokenIssuer,
    issuing,
    private_key,
    public_pem,
    published,
    signed,
)
from tests.support.ci.publish_client import Job, connect, make_image, problem_of
from tests.support.ci.recordings import Recorder, enable
from tests.support.host_accounts import connect_account
from tests.support.oauth.document_hosts import send_response
from tests.support.personas import Personas
from visual_review.builds.models import Build, PullRequest
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

Claims = dict[str, Any]
PULL_REQUEST = {
    "branch": "feature",
    "pullRequest": 7,
    "baseBranch": "main",
    "commit": "head1",
    "mergeCommit": "merged1",
}


@pytest.fixture
def issuer(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TokenIssuer]:
    with issuing(tmp_path, settings, monkeypatch) as found:
        yield found


@pytest.fixture
def job(personas: Personas, issuer: TokenIssuer) -> Job:
    """A job of a repository that takes GitHub's identities; each test signs a token for the job."""
    made = connect(personas.alice)
    Repository.objects.filter(pk=made.repository.pk).update(identity_issuer=issuer.github)
    issuer.use(made.repository.id)
    return made


def with_token(job: Job, token: str) -> Job:
    return replace(job, token=token)


def created(job: Job, claims: Claims, **facts: object) -> Any:  # noqa: ANN401 - Any JSON.
    mine = with_token(job, signed(claims))
    return mine.call("POST", "builds", mine.request_body(**facts))


def refused(job: Job, claims: Claims, status: int, **facts: object) -> str:
    detail = problem_of(created(job, claims, **facts), status)["detail"]
    assert not Build.objects.exists()
    return str(detail)


def test_a_push_publishes_its_branch_from_end_to_end(job: Job, issuer: TokenIssuer) -> None:
    mine = with_token(job, signed(issuer.push()))
    assert mine.plan(branch="main")["productKey"] == "default"
    build = mine.publish({"button": make_image("red")})
    assert mine.show(build)["status"] == "processing"
    assert mine.show(build)["commit"] == COMMIT
    # One look at the keys is enough for all calls.
    assert len(issuer.host.seen) == 1


def test_a_pull_request_publishes_itself(job: Job, issuer: TokenIssuer) -> None:
    assert created(job, issuer.pull_request(), **PULL_REQUEST).status_code == 200


def test_gitlab_publishes_branches_and_merge_requests(job: Job, issuer: TokenIssuer) -> None:
    Repository.objects.update(identity_issuer=issuer.url)
    assert created(job, issuer.gitlab()).status_code == 200
    merge = issuer.gitlab(pipeline_source="merge_request_event", ref="feature", sha="merged1")
    assert created(job, merge, **PULL_REQUEST).status_code == 200
    Build.objects.all().delete()
    assert "pull requests only" in refused(job, merge, 403, branch="feature", commit="merged1")


def test_claims_do_not_open_what_is_not_switched_on(job: Job, issuer: TokenIssuer) -> None:
    Repository.objects.update(identity_issuer="")
    assert "Enable them" in refused(job, issuer.push(), 403)


# Faults that make a token worthless, whatever its claims: the forger knows the public keys.
FORGED: dict[str, tuple[Callable[[TokenIssuer], str], str]] = {
    "for another service": (
        lambda issuer: signed(issuer.push(aud="https://other.example")),
        "audience",
    ),
    "for nobody": (lambda issuer: signed(without(issuer.push(), "aud")), "lacks a required claim"),
    "of an unknown issuer": (lambda issuer: signed(issuer.push(iss="https://evil")), "its issuer"),
    "of another issuer of the same host": (
        lambda issuer: signed({**issuer.push(), "iss": f"{issuer.url}/"}),
        "its issuer",
    ),
    "without signature": (
        lambda issuer: jwt.encode(issuer.push(), None, algorithm="none"),
        "RS256",
    ),
    "signed with the public key as a secret": (
        lambda issuer: hmac_signed(issuer.push()),
        "RS256",
    ),
    "signed by another key of the same name": (
        lambda issuer: signed(issuer.push(), "stranger", {"kid": "first"}),
        "signature",
    ),
    "of a key nobody published": (
        lambda issuer: signed(issuer.push(), "stranger"),
        "not published such a key",
    ),
    "without a key": (
        lambda issuer: signed(issuer.push(), headers={"x": 1}),
        "does not name a key",
    ),
    "with its own key inside": (
        lambda issuer: signed(
            issuer.push(), "stranger", {"kid": "stranger", "jku": f"{issuer.url}/mine"}
        ),
        "not published such a key",
    ),
    "expired": (lambda issuer: signed(issuer.push(exp=int(time.time()) - 60)), "expired"),
    "never expiring": (
        lambda issuer: signed(without(issuer.push(), "exp")),
        "lacks a required claim",
    ),
    "from the future": (
        lambda issuer: signed(issuer.push(nbf=int(time.time()) + 600)),
        "not valid yet",
    ),
    "issued in the future": (
        lambda issuer: signed(issuer.push(iat=int(time.time()) + 600)),
        "not valid yet",
    ),
    "with a changed body": (lambda issuer: tampered(signed(issuer.push())), "signature"),
    "without a repository": (
        lambda issuer: signed(without(issuer.push(), "repository")),
        "'repository'",
    ),
    "with a list for a repository": (
        lambda issuer: signed(issuer.push(repository=["acme/web"])),
        "'repository'",
    ),
    "endless": (lambda issuer: signed(issuer.push(more="x" * 20_000)), "too long"),
    "garbage": (lambda _: "eyJhbGciOiJSUzI1NiJ9.eyJ.x", "cannot be read"),
}


def without(claims: Claims, name: str) -> Claims:
    return {key: value for key, value in claims.items() if key != name}


def tampered(token: str) -> str:
    """The claims changed under the signature."""
    head, _, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    return f"{head}.{part({**claims, 'ref': 'refs/heads/release'})}.{signature}"


def hmac_signed(claims: Claims) -> str:
    """The classic: the verifier's public key taken for a shared secret."""
    signed_part = f"{part({'alg': 'HS256', 'kid': 'first'})}.{part(claims)}"
    signature = hmac.digest(public_pem("first"), signed_part.encode(), "sha256")
    return f"{signed_part}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def part(content: Claims) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def test_an_invalid_token_is_rejected_with_a_message(
    case: Case, job: Job, issuer: TokenIssuer
) -> None:
    for name, (make, expected) in FORGED.items():
        with case(name):
            mine = with_token(job, make(issuer))
            for method, path, body in (
                ("GET", "capture-plan", None),
                ("POST", "builds", mine.request_body()),
            ):
                response = mine.call(method, path, body)
                assert expected in problem_of(response, 401)["detail"]
                assert response["WWW-Authenticate"].startswith("Bearer")
            assert not Build.objects.exists()


# A job's forbidden claims on its build; the token itself is sound.
OVERSTEPPING: dict[str, tuple[Callable[[TokenIssuer], Claims], dict[str, object], str]] = {
    "another branch": (
        lambda issuer: issuer.push(),
        {"branch": "release"},
        "for the branch 'main'",
    ),
    "another commit": (lambda issuer: issuer.push(), {"commit": "beef"}, "for the commit c0ffee1"),
    "a fork's branch": (
        lambda issuer: issuer.push(),
        {"headRepository": "evil/web"},
        "a fork's branch",
    ),
    "a tag as a branch": (
        lambda issuer: issuer.push(ref="refs/tags/main"),
        {},
        "does not run for a branch",
    ),
    "a pull request as main": (lambda issuer: issuer.pull_request(), {}, "pull requests only"),
    "a pull request as a branch": (
        lambda issuer: issuer.pull_request(),
        {"branch": "feature", "commit": "merged1"},
        "pull requests only",
    ),
    "another pull request": (
        lambda issuer: issuer.pull_request(),
        {**PULL_REQUEST, "pullRequest": 8},
        "for pull request #7",
    ),
    "another target": (
        lambda issuer: issuer.pull_request(),
        {**PULL_REQUEST, "baseBranch": "release"},
        "base branch 'main'",
    ),
    "another head": (
        lambda issuer: issuer.pull_request(),
        {**PULL_REQUEST, "branch": "other"},
        "for the branch 'feature'",
    ),
    "another merge": (
        lambda issuer: issuer.pull_request(),
        {**PULL_REQUEST, "mergeCommit": "beef"},
        "for the commit merged1",
    ),
    "a fork's main as ours": (
        lambda issuer: issuer.pull_request(head_ref="main"),
        {**PULL_REQUEST, "branch": "main"},
        "this repository's branch 'main'",
    ),
    "pull_request_target as main": (
        lambda issuer: issuer.push(event_name="pull_request_target", head_ref="x", base_ref="main"),
        {},
        "pull requests only",
    ),
    "workflow_run as main": (
        lambda issuer: issuer.push(event_name="workflow_run"),
        {},
        "pull requests only",
    ),
    "workflow_run as a pull request of main": (
        lambda issuer: issuer.push(event_name="workflow_run"),
        {**PULL_REQUEST, "branch": "main"},
        "this repository's branch 'main'",
    ),
    "an event of tomorrow as main": (
        lambda issuer: issuer.push(event_name="anything_new"),
        {},
        "pull requests only",
    ),
}


def test_a_job_publishes_what_its_claims_say_and_nothing_else(
    case: Case, job: Job, issuer: TokenIssuer
) -> None:
    for name, (claims, facts, expected) in OVERSTEPPING.items():
        with case(name):
            assert expected in refused(job, claims(issuer), 403, **facts)


def test_the_recipe_for_forks_publishes_a_pull_request_after_another_workflow(
    job: Job, issuer: TokenIssuer
) -> None:
    claims = issuer.push(event_name="workflow_run", sha="tip-of-main")
    fork = {**PULL_REQUEST, "branch": "main", "headRepository": "somebody/web"}
    assert created(job, claims, **fork).status_code == 200


HEADS = ((("", "feature"), 200), (("somebody/web", "feature"), 403), (("", "other"), 403))


def test_a_fork_cannot_claim_our_branch_when_the_host_reported_the_head(
    case: Case, job: Job, issuer: TokenIssuer
) -> None:
    for head, status in HEADS:
        with case(head):
            PullRequest.objects.create(
                repository=job.repository,
                number=7,
                head_repository=head[0],
                head_branch=head[1],
                host_updated_at=now(),
            )
            assert created(job, issuer.pull_request(), **PULL_REQUEST).status_code == status


def test_recordings_are_uploaded_by_the_same_rules(job: Job, issuer: TokenIssuer) -> None:
    enable(job.repository)
    video = b"not yet looked at"
    facts = {"branch": "main", "commit": COMMIT}
    mine = Recorder(with_token(job, signed(issuer.push())))
    recording = mine.upload(video, **facts)
    theirs = Recorder(with_token(job, signed(issuer.pull_request())))
    for body in (
        mine.request_body(video, **facts),
        mine.request_body(video, branch="feature", commit="head1"),
        mine.request_body(video, branch="feature", commit="head1", pullRequest=8),
    ):
        problem_of(theirs.job.call("POST", "recordings", body), 403)
    problem_of(theirs.job.call("GET", f"recordings/{recording['id']}"), 403)
    problem_of(theirs.finish(recording["id"]), 403)
    own = theirs.upload(video, branch="feature", commit="head1", pullRequest=7)
    assert theirs.show(own["id"])["status"] == "processing"


def test_a_job_touches_no_build_that_it_could_not_have_made(job: Job, issuer: TokenIssuer) -> None:
    build = job.create()
    theirs = with_token(job, signed(issuer.pull_request()))
    for method, path, body in (
        ("GET", "", None),
        ("POST", "/screenshots", {"screenshots": [make_image("red").shot("a")]}),
        ("POST", "/finish", {}),
    ):
        problem_of(theirs.call(method, f"builds/{build['id']}{path}", body), 403)
    assert job.show(build)["shards"]["finished"] == 0


def test_a_job_follows_its_build_when_the_pull_request_gets_another_target(
    job: Job, issuer: TokenIssuer
) -> None:
    theirs = with_token(job, signed(issuer.pull_request()))
    build = theirs.publish({"button": make_image("red")}, **PULL_REQUEST)
    # As the host's events do, while the job waits for the verdict.
    Build.objects.update(base_branch="release")
    assert theirs.show(build)["status"] == "processing"


def test_another_repository_is_not_reached(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    other = connect(personas.alice, "acme/other")
    claims = issuer.push(repository="acme/other", repository_id="99")
    assert "No connected repository" in refused(job, claims, 403)
    build = other.create()
    mine = with_token(job, signed(issuer.push()))
    problem_of(mine.call("GET", f"builds/{build['id']}"), 404)


def linked(personas: Personas, job: Job, issuer: TokenIssuer) -> None:
    account = connect_account(personas.alice)
    HostAccount.objects.update(kind="github", address=issuer.url)
    Repository.objects.filter(pk=job.repository.pk).update(
        host_account=account, host_id=REPOSITORY_ID
    )


def test_where_the_id_is_known_the_id_counts_and_not_the_name(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    linked(personas, job, issuer)
    stranger = issuer.push(repository_id="666")
    assert "No connected repository" in refused(job, stranger, 403)
    assert created(job, issuer.push(repository="acme/renamed")).status_code == 200


def test_an_id_of_another_host_is_another_id(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    linked(personas, job, issuer)
    HostAccount.objects.update(kind="gitlab")
    refused(job, issuer.push(), 403)


NO_REPOSITORIES = ("repo_unknown", "repo_" + "0" * 26, "", "repo_x/../y", "\0")


def test_an_audience_with_another_repository_than_the_claims_is_rejected(
    case: Case, job: Job, issuer: TokenIssuer
) -> None:
    for named in NO_REPOSITORIES:
        with case(repr(named)):
            claims = issuer.push(aud=f"{PUBLIC_URL}/repositories/{named}")
            refused(job, claims, 403 if len(named) == 31 else 401)


def test_an_audience_opens_no_other_repository(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    other = connect(personas.alice, "acme/other").repository
    Repository.objects.update(identity_issuer=issuer.github)
    refused(job, issuer.push(aud=f"{PUBLIC_URL}/repositories/{other.id}"), 403)


def test_a_name_at_another_issuer_is_another_repository(job: Job, issuer: TokenIssuer) -> None:
    # The owner of acme/web at GitLab need not own acme/web at GitHub.
    refused(job, issuer.gitlab(), 403)


def test_a_removed_repository_accepts_no_identity(job: Job, issuer: TokenIssuer) -> None:
    Repository.objects.update(removed_at="2026-01-01T00:00:00Z")
    refused(job, issuer.push(), 403)


def test_an_issuer_that_is_down_causes_503_with_a_message_until_it_is_back(
    job: Job, issuer: TokenIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visual_review.api.ci.identity_tokens.PAUSE_SECONDS", 0)
    for answer in (
        send_response(500, b"{}"),
        send_response(200, b"<html>", kind="text/html"),
        send_response(200, b'{"keys": 3}'),
        send_response(302, b"", "Location: https://localhost/"),
        send_response(200, b"[" * 400_000),
    ):
        issuer.host.respond = answer
        response = created(job, issuer.push())
        assert "cannot be fetched now" in problem_of(response, 503)["detail"]
        assert response["Retry-After"]
    issuer.publishes("first")
    assert created(job, issuer.push()).status_code == 200


def test_a_new_key_is_fetched_when_a_token_names_it(
    job: Job, issuer: TokenIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert created(job, issuer.push()).status_code == 200
    issuer.publishes("second")
    monkeypatch.setattr("visual_review.api.ci.identity_tokens.PAUSE_SECONDS", 0)
    mine = with_token(job, signed(issuer.push(), "second"))
    assert mine.call("POST", "builds", mine.request_body()).status_code == 200
    # A withdrawn permission is worth nothing any more.
    problem_of(created(job, issuer.push()), 401)


def test_unknown_keys_do_not_make_us_ask_at_every_call(job: Job, issuer: TokenIssuer) -> None:
    for number in range(5):
        token = signed(issuer.push(), "stranger", {"kid": f"made-up-{number}"})
        problem_of(with_token(job, token).call("POST", "builds", job.request_body()), 401)
    assert len(issuer.host.seen) == 1


@pytest.mark.usefixtures("job")
def test_no_other_endpoint_accepts_identity_tokens(issuer: TokenIssuer) -> None:
    assert call(signed(issuer.push()), "list_repos", {}).status_code == 401


def test_the_keys_of_the_tests_differ() -> None:
    # Otherwise forged tokens would pass for real ones, or real ones for forged.
    assert private_key("first") is not private_key("stranger")
    assert published("first") != published("second")


def test_a_merge_counts_once_the_provider_reported_its_head(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    linked(personas, job, issuer)
    theirs = with_token(job, signed(issuer.pull_request()))
    body = theirs.request_body(**PULL_REQUEST)
    # The head of another pull request, whose status would turn green.
    known = PullRequest.objects.create(
        repository=job.repository, number=7, head_commits=["head0"], asked_at=None
    )
    refused_first = theirs.call("POST", "builds", body)
    assert "asked whether head1 is the head" in problem_of(refused_first, 503)["detail"]
    asked = ProcrastinateJob.objects.get(task_name="ask_pull_request")
    assert asked.args == {"repository_id": job.repository.pk, "number": 7}
    assert refused_first["Retry-After"]
    known.asked_at = now()
    known.save()
    detail = problem_of(theirs.call("POST", "builds", body), 403)["detail"]
    assert "does not know head1 as a head of pull request #7" in detail
    assert not Build.objects.exists()
    # A job run again has an older merge commit of an older head.
    known.head_commits = ["head1", "head2"]
    known.save()
    assert theirs.call("POST", "builds", body).status_code == 200


def test_a_token_publishes_for_its_own_commit_without_asking(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    linked(personas, job, issuer)
    theirs = with_token(job, signed(issuer.pull_request()))
    own = {**PULL_REQUEST, "commit": "merged1", "mergeCommit": ""}
    assert theirs.call("POST", "builds", theirs.request_body(**own)).status_code == 200


def test_a_branchs_job_names_no_merge(job: Job, issuer: TokenIssuer) -> None:
    theirs = with_token(job, signed(issuer.push(sha="own1")))
    body = theirs.request_body(commit="head6", mergeCommit="own1")
    assert "for the commit own1" in problem_of(theirs.call("POST", "builds", body), 403)["detail"]
