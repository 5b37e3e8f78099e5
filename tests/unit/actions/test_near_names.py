"""The name that a caller probably meant."""

from tests.support.case import Case
from visual_review.actions.near_names import nearest_name

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
