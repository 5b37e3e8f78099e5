"""Git's facts on a checkout."""

import subprocess
from pathlib import Path

import pytest

from visual_review.client.checking.check import find_base_branch, find_repository
from visual_review.client.transport.errors import InputError


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/web.git", "acme/web"),
        ("https://github.com/acme/web.git", "acme/web"),
        ("https://user:secret@gitlab.example.com:8443/group/sub/web/", "group/sub/web"),
        ("ssh://git@example.com:2222/acme/web.git", "acme/web"),
        ("example.com:acme/web", "acme/web"),
        ("https://example.com/acme/web.git/", "acme/web"),
    ],
)
def test_the_repository_is_that_of_origin(tmp_path: Path, url: str, name: str) -> None:
    git(tmp_path, "init")
    git(tmp_path, "remote", "add", "origin", url)
    assert find_repository(tmp_path) == name


@pytest.mark.parametrize("url", ["", "/srv/web.git", "https://example.com/web"])
def test_a_repository_without_a_name_needs_the_option(tmp_path: Path, url: str) -> None:
    git(tmp_path, "init")
    if url:
        git(tmp_path, "remote", "add", "origin", url)
    with pytest.raises(InputError, match="Pass --repository"):
        find_repository(tmp_path)


def test_the_base_branch_is_the_remotes_default(tmp_path: Path) -> None:
    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    upstream.mkdir()
    git(upstream, "init", "-b", "develop")
    git(upstream, "commit", "--allow-empty", "-m", "Begin")
    git(tmp_path, "clone", str(upstream), str(clone))
    assert find_base_branch(clone) == "develop"
    assert find_base_branch(upstream) == ""
