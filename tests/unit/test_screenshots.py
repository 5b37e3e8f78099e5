"""Names of the kinds of pages written by ``make screenshots``."""

from scripts.screenshots import name_of

from tests.support.case import Case

ID = "build_01m83b20z7rwhs3mj2t98rhg71"


def test_pages_that_differ_by_ids_are_one_kind(case: Case) -> None:
    for path, name in (
        ("/", "home"),
        ("/repositories", "repositories"),
        (f"/builds/{ID}", "builds"),
        (f"/members/{ID.replace('build', 'member')}/remove", "members-remove"),
        ("/oauth/authorize", "oauth-authorize"),
    ):
        with case(path):
            assert name_of(path) == name
