import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.ci import environments as given
from visual_review.client.ci import Checkout, CiError, CiFacts, Overrides, read_facts

HEAD, MERGE, BASE = given.HEAD, given.MERGE, given.BASE
NO_FLAGS = Overrides()


@pytest.fixture
def outside_git(tmp_path: Path) -> Checkout:
    """A folder without git, so that all facts come from the environment."""
    return Checkout(tmp_path)


def pushed(provider: str, nonce: str, run_nonce: str = "", **more: Any) -> CiFacts:  # noqa: ANN401 - Fields.
    """``run_nonce`` is the same as ``nonce`` unless given."""
    facts = {"branch": "main", "commit": HEAD, "nonce": nonce, "run_nonce": run_nonce or nonce}
    return CiFacts(provider, **(facts | more))


def requested(provider: str, nonce: str, run_nonce: str = "", **more: Any) -> CiFacts:  # noqa: ANN401 - Fields.
    facts = {"branch": "feature/blue", "pull_request": 12, "base_branch": "main"}
    return pushed(provider, nonce, run_nonce, **(facts | more))


TABLE: dict[str, tuple[Mapping[str, str], CiFacts]] = {
    "gitlab push": (
        given.GITLAB_PUSH,
        pushed("gitlab", "gitlab-77001", "gitlab-5501-visual", message="Make it blue"),
    ),
    "gitlab merge request": (
        given.GITLAB_MERGE_REQUEST,
        requested(
            "gitlab",
            "gitlab-77001",
            "gitlab-5501-visual",
            merge_base_commit=BASE,
            message="Make the button blue",
        ),
    ),
    "gitlab merged result": (
        given.GITLAB_MERGED_RESULT,
        requested(
            "gitlab",
            "gitlab-77001",
            "gitlab-5501-visual",
            base_commit=BASE,
            merge_commit=MERGE,
            merge_base_commit=BASE,
            message="Make the button blue",
        ),
    ),
    "gitlab fork": (
        given.GITLAB_MERGE_REQUEST | {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "someone/shop"},
        requested(
            "gitlab",
            "gitlab-77001",
            "gitlab-5501-visual",
            merge_base_commit=BASE,
            head_repository="someone/shop",
            message="Make the button blue",
        ),
    ),
    "gitlab parallel": (
        given.GITLAB_PUSH
        | {"CI_JOB_NAME": "visual 2/3", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"},
        pushed("gitlab", "gitlab-5501-visual", message="Make it blue", shard=2, shards=3),
    ),
    "gitlab matrix is not sharding": (
        given.GITLAB_PUSH
        | {"CI_JOB_NAME": "visual: [web]", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"},
        pushed("gitlab", "gitlab-77001", "gitlab-5501-visual: [web]", message="Make it blue"),
    ),
    "circleci push": (
        given.CIRCLECI_PUSH,
        pushed("circleci", "circleci-81aa", "circleci-3f0c-visual"),
    ),
    "circleci pull request": (
        given.CIRCLECI_PULL_REQUEST,
        requested("circleci", "circleci-81aa", "circleci-3f0c-visual", base_branch=""),
    ),
    "circleci fork": (
        given.CIRCLECI_FORK,
        CiFacts(
            "circleci",
            branch="pull/12",
            commit=HEAD,
            head_repository="someone/shop",
            pull_request=12,
            nonce="circleci-81aa",
            run_nonce="circleci-3f0c-visual",
        ),
    ),
    "circleci parallelism": (
        given.CIRCLECI_PUSH | {"CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "4"},
        pushed("circleci", "circleci-3f0c-visual", shard=4, shards=4),
    ),
    "buildkite push": (
        given.BUILDKITE_PUSH,
        pushed("buildkite", "buildkite-j-1", "buildkite-b-1-s-1", message="Make it blue"),
    ),
    "buildkite pull request": (
        given.BUILDKITE_PULL_REQUEST,
        requested("buildkite", "buildkite-j-1", "buildkite-b-1-s-1", message="Make it blue"),
    ),
    "buildkite fork": (
        given.BUILDKITE_FORK,
        requested(
            "buildkite",
            "buildkite-j-1",
            "buildkite-b-1-s-1",
            head_repository="someone/shop",
            message="Make it blue",
        ),
    ),
    "azure push": (
        given.AZURE_PUSH,
        pushed("azure", "azure-4711-visual-1-1", "azure-4711-visual-1", message="Make it blue"),
    ),
    "azure pull request": (
        given.AZURE_PULL_REQUEST,
        requested("azure", "azure-4711-visual-1-1", "azure-4711-visual-1", merge_commit=MERGE),
    ),
    "azure with a fork on GitHub": (
        given.AZURE_GITHUB_FORK,
        requested(
            "azure",
            "azure-4711-visual-1-1",
            "azure-4711-visual-1",
            merge_commit=MERGE,
            head_repository="someone/shop",
        ),
    ),
    "bitbucket push": (
        given.BITBUCKET_PUSH,
        pushed("bitbucket", "bitbucket-31-8f2d-1", "bitbucket-31"),
    ),
    "bitbucket pull request": (
        given.BITBUCKET_PULL_REQUEST,
        requested("bitbucket", "bitbucket-31-8f2d-1", "bitbucket-31", base_commit=BASE),
    ),
    "jenkins branch": (
        given.JENKINS_PUSH,
        pushed("jenkins", "jenkins-jenkins-shop-main-8"),
    ),
    "jenkins single job": (
        given.JENKINS_SINGLE_JOB,
        pushed("jenkins", "jenkins-jenkins-shop-main-8"),
    ),
    "jenkins fork": (
        given.JENKINS_FORK,
        requested(
            "jenkins",
            "jenkins-jenkins-shop-PR-12-8",
            head_repository="someone/shop",
            message="Make the button blue",
        ),
    ),
}


def test_each_provider_gives_its_facts(case: Case, outside_git: Checkout) -> None:
    for name, (environment, expected) in TABLE.items():
        with case(name):
            assert read_facts(environment, outside_git, NO_FLAGS) == expected


@pytest.fixture
def github_environment(tmp_path: Path) -> Callable[..., dict[str, str]]:
    def environment(base: Mapping[str, str], event: object) -> dict[str, str]:
        path = tmp_path / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        return dict(base) | {"GITHUB_EVENT_PATH": str(path)}

    return environment


def test_a_push_on_github(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    environment = github_environment(given.GITHUB_PUSH, given.GITHUB_PUSH_EVENT)
    nonce = "github-9123456789-2-visual"
    assert read_facts(environment, outside_git, NO_FLAGS) == pushed(
        "github", nonce, message="Make it blue"
    )


def test_a_pull_request_on_github_has_head_and_merge(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    environment = github_environment(given.GITHUB_PULL_REQUEST, given.GITHUB_PULL_REQUEST_EVENT)
    facts = read_facts(environment, outside_git, NO_FLAGS)
    assert (facts.commit, facts.merge_commit, facts.base_commit) == (HEAD, MERGE, BASE)
    assert (facts.branch, facts.base_branch, facts.pull_request) == ("feature/blue", "main", 12)
    assert facts.head_repository == ""
    assert facts.message == "Make the button blue"


def test_a_merge_queue_on_github_is_compared_with_the_branch_it_merges_into(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    environment = github_environment(given.GITHUB_MERGE_GROUP, given.GITHUB_MERGE_GROUP_EVENT)
    facts = read_facts(environment, outside_git, NO_FLAGS)
    assert (facts.commit, facts.base_commit, facts.pull_request) == (HEAD, BASE, None)
    assert (facts.branch, facts.base_branch) == (given.QUEUE, "release/1.0")
    assert facts.message == "Merge pull request #12"


def test_a_fork_on_github_is_named(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    event = json.loads(json.dumps(given.GITHUB_PULL_REQUEST_EVENT))
    event["pull_request"]["head"]["repo"]["full_name"] = "someone/shop"
    facts = read_facts(github_environment(given.GITHUB_PULL_REQUEST, event), outside_git, NO_FLAGS)
    assert facts.head_repository == "someone/shop"


def test_a_deleted_fork_on_github_does_not_break(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    event = json.loads(json.dumps(given.GITHUB_PULL_REQUEST_EVENT))
    event["pull_request"]["head"]["repo"] = None
    facts = read_facts(github_environment(given.GITHUB_PULL_REQUEST, event), outside_git, NO_FLAGS)
    assert (facts.commit, facts.head_repository) == (HEAD, "")


def test_pull_request_target_runs_on_the_base_and_has_no_merge(
    github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    base = given.GITHUB_PULL_REQUEST | {"GITHUB_REF": "refs/heads/main", "GITHUB_SHA": BASE}
    facts = read_facts(
        github_environment(base, given.GITHUB_PULL_REQUEST_EVENT), outside_git, NO_FLAGS
    )
    assert (facts.commit, facts.merge_commit) == (HEAD, "")


@pytest.mark.parametrize(
    "event", [[], {"pull_request": 7}, {"pull_request": {"head": "x", "number": True}}, "text"]
)
def test_an_event_of_another_schema_requires_options(
    event: object, github_environment: Callable[..., dict[str, str]], outside_git: Checkout
) -> None:
    with pytest.raises(CiError, match=r"--(branch|commit)"):
        read_facts(github_environment(given.GITHUB_PULL_REQUEST, event), outside_git, NO_FLAGS)


TAG_BUILDS = [
    given.GITHUB_PUSH | {"GITHUB_REF": "refs/tags/v1", "GITHUB_REF_TYPE": "tag"},
    {n: v for n, v in given.GITLAB_PUSH.items() if n != "CI_COMMIT_BRANCH"},
    given.AZURE_PUSH | {"BUILD_SOURCEBRANCH": "refs/tags/v1"},
    given.BUILDKITE_PUSH | {"BUILDKITE_TAG": "v1", "BUILDKITE_BRANCH": "v1"},
    given.JENKINS_PUSH | {"TAG_NAME": "v1", "BRANCH_NAME": "v1"},
    {n: v for n, v in given.BITBUCKET_PUSH.items() if n != "BITBUCKET_BRANCH"},
]


def test_a_tag_is_not_a_branch_and_the_error_names_the_option(
    case: Case, outside_git: Checkout
) -> None:
    for environment in TAG_BUILDS:
        with case(min(environment)):
            with pytest.raises(CiError, match="--branch"):
                read_facts(environment, outside_git, NO_FLAGS)
            assert read_facts(environment, outside_git, Overrides(branch="main")).branch == "main"


def test_flags_override_what_the_provider_says(outside_git: Checkout) -> None:
    flags = Overrides(
        branch="other",
        commit=BASE,
        pull_request=99,
        base_branch="develop",
        head_repository="else/where",
        message="By hand",
        nonce="mine",
        shard=(2, 4),
    )
    facts = read_facts(given.AZURE_PULL_REQUEST, outside_git, flags)
    assert facts == CiFacts(
        "azure",
        branch="other",
        commit=BASE,
        head_repository="else/where",
        pull_request=99,
        base_branch="develop",
        message="By hand",
        nonce="mine",
        run_nonce="azure-4711-visual-1",
        shard=2,
        shards=4,
    )


def test_pull_request_zero_makes_it_a_plain_build(outside_git: Checkout) -> None:
    facts = read_facts(given.AZURE_PULL_REQUEST, outside_git, Overrides(pull_request=0))
    assert (facts.pull_request, facts.base_branch, facts.merge_commit) == (None, "", "")
    assert facts.branch == "feature/blue"


def test_shards_share_the_name_of_the_run(outside_git: Checkout) -> None:
    facts = read_facts(given.GITLAB_PUSH, outside_git, Overrides(shard=(1, 2)))
    assert facts.nonce == "gitlab-5501-visual"
