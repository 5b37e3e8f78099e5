"""Links to branches, commits and pull requests at each kind of Git provider."""

from tests.support.case import Case
from visual_review.builds.models import Build
from visual_review.repositories.models import HostAccount, Repository
from visual_review.web.build_facts import GitLinks, git_links_of

OWN = "https://git.example/sub/acme/web"
FORK = "https://git.example/sub/dana/web"
PATHS = {
    "github": ("tree", "commit", "pull"),
    "gitlab": ("-/tree", "-/commit", "-/merge_requests"),
    "gitea": ("src/branch", "commit", "pulls"),
}


def build_at(kind: str, **more: object) -> Build:
    account = HostAccount(kind=kind, address="https://git.example/sub/")
    repository = Repository(full_name="acme/web", host_account=account)
    facts: dict[str, object] = {"branch": "fix/a", "commit": "c0ffee", **more}
    return Build(repository=repository, **facts)


def test_each_provider_has_its_own_paths(case: Case) -> None:
    for kind, (branch, commit, pull) in PATHS.items():
        with case(kind):
            links = git_links_of(build_at(kind, pull_request=7, base_branch="main"))
            assert links == GitLinks(
                branch=f"{OWN}/{branch}/fix/a",
                base_branch=f"{OWN}/{branch}/main",
                commit=f"{OWN}/{commit}/c0ffee",
                pull_request=f"{OWN}/{pull}/7",
            )


def test_branch_and_commit_of_a_fork_are_in_the_fork() -> None:
    links = git_links_of(
        build_at("gitlab", head_repository="dana/web", pull_request=7, base_branch="main")
    )
    assert links.branch == f"{FORK}/-/tree/fix/a"
    assert links.commit == f"{FORK}/-/commit/c0ffee"
    assert links.pull_request == f"{OWN}/-/merge_requests/7"
    assert links.base_branch == f"{OWN}/-/tree/main"


def test_names_are_quoted() -> None:
    links = git_links_of(build_at("github", branch="a b?#%\u00fc"))
    assert links.branch == f"{OWN}/tree/a%20b%3F%23%25%C3%BC"


def test_what_is_unknown_has_no_link() -> None:
    assert git_links_of(build_at("github")).pull_request == ""
    assert git_links_of(build_at("memory")) == GitLinks()
    without = Build(repository=Repository(full_name="acme/web"), branch="a", commit="b")
    assert git_links_of(without) == GitLinks()
