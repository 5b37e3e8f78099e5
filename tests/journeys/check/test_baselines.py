"""The source of the baseline: the server, the cache, and the message without either."""

import json
from pathlib import Path

import pytest

from tests.journeys.check.conftest import CheckedProject, git
from tests.support.checked_storybooks import CheckedStorybook
from tests.support.ci.job import connect_repository

# Nothing listens there.
NOWHERE = "http://127.0.0.1:9"


def images(cache: Path) -> list[Path]:
    return sorted((cache / "images").rglob("*.png"))


def test_images_are_fetched_once(project: CheckedProject) -> None:
    project.paint("red")
    assert "Fetching images of the baseline: 2" in project.check().stderr
    assert len(images(project.storybook.cache)) == 2
    again = project.check()
    assert again.returncode == 1
    assert "Fetching" not in again.stderr


def test_a_damaged_image_is_fetched_again(project: CheckedProject) -> None:
    project.paint("red")
    before = project.check()
    first, second = images(project.storybook.cache)
    first.write_bytes(second.read_bytes())
    again = project.check()
    assert again.stdout == before.stdout
    assert "Fetching images of the baseline: 1" in again.stderr


def test_offline_it_says_from_when_its_baseline_is(project: CheckedProject) -> None:
    project.paint("red")
    server = project.job.server.url
    before = project.check()
    # As if the server had stopped: the same URL leads nowhere.
    [stored] = (project.storybook.cache / "baselines").glob("*.json")
    done = project.check(http_proxy=NOWHERE, HTTP_PROXY=NOWHERE)
    assert done.returncode == 1, done.stderr
    assert done.stdout == before.stdout
    assert "as the server said on " in done.stderr
    assert "it cannot be reached now" in done.stderr
    assert server
    stored.unlink()
    done = project.check(http_proxy=NOWHERE, HTTP_PROXY=NOWHERE)
    assert done.returncode == 2
    assert "cannot be reached" in done.stderr


def test_offline_an_image_that_is_missing_ends_the_check(project: CheckedProject) -> None:
    assert project.check().returncode == 0
    project.paint("red")
    done = project.check(http_proxy=NOWHERE, HTTP_PROXY=NOWHERE)
    assert done.returncode == 2
    assert "cannot be reached" in done.stderr


def test_without_a_server_the_way_out_is_named(project: CheckedProject) -> None:
    done = project.check("--url", NOWHERE)
    assert done.returncode == 2
    assert "cannot be reached" in done.stderr
    done = project.check("--url", " ")
    assert "set VISUAL_REVIEW_URL, pass --url, or set server" in done.stderr


def test_a_key_that_is_not_valid_is_explained(project: CheckedProject) -> None:
    done = project.check(VISUAL_REVIEW_KEY="vr_user_expired")
    assert done.returncode == 2
    assert "was revoked or has expired" in done.stderr
    assert "visual-review login" in done.stderr
    done = project.check(VISUAL_REVIEW_KEY="", VISUAL_REVIEW_TOKEN_FILE="/nowhere/tokens.json")
    assert "You are not signed in to" in done.stderr


def test_a_key_is_never_sent_where_only_a_file_says(project: CheckedProject) -> None:
    (project.root / "visual-review.toml").write_text(f'[check]\nserver = "{NOWHERE}"\n')
    done = project.check(VISUAL_REVIEW_URL="")
    assert done.returncode == 2
    assert "is sent only to a server that you name yourself" in done.stderr


def test_a_repository_without_a_baseline_says_how_to_get_one(
    project: CheckedProject, tmp_path: Path
) -> None:
    empty = connect_repository(project.job.server, tmp_path)
    done = CheckedStorybook(empty, project.storybook.built, project.root).check()
    assert done.returncode == 2
    assert f"{empty.name} has no baseline to compare with yet" in done.stderr
    done = project.check("--repository", "acme/unknown")
    assert done.returncode == 2
    assert "has no repository 'acme/unknown'" in done.stderr


def test_a_base_that_moved_on_is_said(project: CheckedProject) -> None:
    assert "has moved on" not in project.check().stderr
    git(project.root, "checkout", "--orphan", "other")
    project.commit("Begin again")
    done = project.check()
    assert done.returncode == 0
    assert "main has moved on: this checkout does not have its commit" in done.stderr
    assert "Merge or rebase" in done.stderr


def test_a_cache_that_cannot_be_written_is_named(project: CheckedProject) -> None:
    (project.root.parent / "file").write_text("")
    done = project.check(VISUAL_REVIEW_CACHE_DIR=str(project.root.parent / "file" / "cache"))
    assert done.returncode == 2
    assert "set VISUAL_REVIEW_CACHE_DIR" in done.stderr


def test_the_document_of_a_failure_says_so(project: CheckedProject) -> None:
    done = project.check("--json", "--url", NOWHERE)
    document = json.loads(done.stdout)
    assert document["verdict"] == "failed"
    assert "cannot be reached" in document["error"]


@pytest.mark.parametrize("branch", ["main", "feature"])
def test_a_branch_is_compared_with_its_base(project: CheckedProject, branch: str) -> None:
    done = project.check("--branch", branch, "--base-branch", "main")
    assert "Comparing with version 1 of main" in done.stderr
