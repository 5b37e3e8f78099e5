"""The names probably meant by a caller."""

from tests.support.case import Case
from visual_review.builds.near_names import near_names, nearest_name

KNOWN = ("repoId", "productKey", "limit", "list_repos", "list_host_repos")
MEANT = (
    ("repo_id", "repoId"),
    ("RepoID", "repoId"),
    ("repo-id", "repoId"),
    ("REPOID", "repoId"),
    ("repo", "repoId"),
    ("productkey", "productKey"),
    ("limits", "limit"),
    ("lmit", "limit"),
    ("List_Repos", "list_repos"),
    ("listRepos", "list_repos"),
    ("list_repos/", "list_repos"),
    ("list-host-repos", "list_host_repos"),
    ("colour", None),
    ("", None),
    ("ελληνικά", None),
    ("repoId" * 1000, None),
)


def test_a_near_name_is_found_and_a_distant_one_is_not(case: Case) -> None:
    for given, meant in MEANT:
        with case(given[:40]):
            assert nearest_name(given, KNOWN) == meant


ACTIONS = (
    "approve_build",
    "reject_build",
    "review_screenshot",
    "approve_all_screenshots",
    "approve_story_screenshots",
    "list_repos",
    "list_host_repos",
)
NEAR = (
    ("listRepos", ["list_repos"]),
    ("list_repo", ["list_repos"]),
    ("approve_screenshots", [*ACTIONS[3:5], "review_screenshot"]),
    ("approve_screenshot", [*ACTIONS[3:5], "review_screenshot"]),
    ("delete_everything", []),
)


def test_names_that_may_mean_several_things_are_all_named(case: Case) -> None:
    for given, near in NEAR:
        with case(given):
            assert near_names(given, ACTIONS) == near


def test_a_lower_likeness_finds_more() -> None:
    assert near_names("review_build", ACTIONS) == ["reject_build"]
    assert near_names("review_build", ACTIONS, 0.6) == ["reject_build", "approve_build"]


def test_all_that_differ_by_a_letter_are_named() -> None:
    known = [f"settings--with-a-long-name-{number}" for number in range(1, 9)]
    assert len(near_names("settings--with-a-long-name-0", known)) == 3


def test_longer_names_are_compared_only_on_request() -> None:
    known = ["x" * 70]
    assert near_names("x" * 69, known) == []
    assert near_names("x" * 69, known, longest=100) == known
