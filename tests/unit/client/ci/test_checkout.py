import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.ci import environments as given
from visual_review.client.ci import Checkout, CiError, Overrides, read_facts

NO_FLAGS = Overrides()


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str) -> str:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def original_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history in which feature/blue and main diverge after the first commit."""
    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "Begin")
    git(folder, "branch", "feature/blue")
    commit(folder, "Continue")
    git(folder, "switch", "--quiet", "feature/blue")
    commit(folder, "Make it blue\n\nIt was red.")
    return folder


@pytest.fixture
def history(original_history: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original_history, tmp_path, dirs_exist_ok=True)


def test_plain_git_provides_branch_commit_and_message(history: Path) -> None:
    facts = read_facts({}, Checkout(history), NO_FLAGS)
    assert facts.provider == "git"
    assert facts.branch == "feature/blue"
    assert facts.commit == git(history, "rev-parse", "HEAD")
    assert (facts.message, facts.author) == ("Make it blue", "Test")
    assert facts.pull_request is None


def test_every_manual_run_is_a_new_build(history: Path) -> None:
    first, second = (read_facts({}, Checkout(history), NO_FLAGS).nonce for _ in range(2))
    assert first != second


def test_on_a_detached_head_the_branch_is_required(history: Path) -> None:
    git(history, "switch", "--quiet", "--detach")
    with pytest.raises(CiError, match=r"detached HEAD.*--branch"):
        read_facts({}, Checkout(history), NO_FLAGS)
    assert read_facts({}, Checkout(history), Overrides(branch="x")).branch == "x"


def test_outside_git_the_commit_is_required(tmp_path: Path) -> None:
    with pytest.raises(CiError, match="--commit"):
        read_facts({}, Checkout(tmp_path), Overrides(branch="main"))


def test_the_commit_is_a_full_hash_or_one_that_git_knows(history: Path, case: Case) -> None:
    head = git(history, "rev-parse", "HEAD")
    for text, expected in (
        (head, head),
        (head.upper(), head),
        (head[:8], head),
        ("HEAD", head),
        ("f" * 40, "f" * 40),
        ("f" * 64, "f" * 64),
    ):
        with case(text):
            facts = read_facts({}, Checkout(history), Overrides(commit=text))
            assert facts.commit == expected
    for text in ("abc", "", " ", "f" * 39, "--all", "c0ffee1"):
        with case(text), pytest.raises(CiError, match="not the full hash of a commit"):
            read_facts({}, Checkout(history), Overrides(commit=text))


def test_manual_shards_need_a_common_nonce(history: Path) -> None:
    with pytest.raises(CiError, match="--nonce"):
        read_facts({}, Checkout(history), Overrides(shard=(1, 3)))


def test_the_merge_base_comes_from_the_history(history: Path) -> None:
    start = git(history, "rev-parse", "main~1")
    facts = read_facts({}, Checkout(history), Overrides(pull_request=12, base_branch="main"))
    assert facts.merge_base_commit == start


def test_without_the_base_in_the_history_there_is_no_merge_base(history: Path) -> None:
    facts = read_facts({}, Checkout(history), Overrides(pull_request=12, base_branch="develop"))
    assert facts.merge_base_commit == ""


def test_names_that_look_like_options_reach_git_as_names(history: Path) -> None:
    checkout = Checkout(history)
    assert checkout.resolve("--output=stolen") == ""
    assert checkout.message("--output=stolen") == ""
    assert checkout.merge_base("HEAD", "", "--all") == ""
    assert not (history / "stolen").exists()


def test_jenkins_distinguishes_the_head_from_its_own_merge(history: Path) -> None:
    head = git(history, "rev-parse", "HEAD")
    git(history, "update-ref", "refs/remotes/origin/PR-12", head)
    git(history, "switch", "--quiet", "--detach")
    git(history, "merge", "--quiet", "--no-ff", "-m", "Merge", "main")
    merge = git(history, "rev-parse", "HEAD")
    facts = read_facts(given.JENKINS_CHANGE | {"GIT_COMMIT": merge}, Checkout(history), NO_FLAGS)
    assert (facts.commit, facts.merge_commit) == (head, merge)


def test_github_without_its_event_finds_the_head_in_the_merge(history: Path) -> None:
    head = git(history, "rev-parse", "HEAD")
    git(history, "switch", "--quiet", "--detach", "main")
    git(history, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature/blue")
    facts = read_facts(given.GITHUB_PULL_REQUEST, Checkout(history), NO_FLAGS)
    assert (facts.commit, facts.pull_request, facts.base_branch) == (head, 12, "main")


def test_buildkite_resolves_head(history: Path) -> None:
    facts = read_facts(
        given.BUILDKITE_PUSH | {"BUILDKITE_COMMIT": "HEAD"}, Checkout(history), NO_FLAGS
    )
    assert facts.commit == git(history, "rev-parse", "HEAD")
