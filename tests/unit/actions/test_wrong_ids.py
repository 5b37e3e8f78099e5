"""Ids of another kind: the message says which is needed, from the id's text alone."""

from tests.support.case import Case
from visual_review.actions.registry import published_actions
from visual_review.actions.wrong_ids import KINDS, UNKNOWN, explain_wrong_id
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import new_id

BUILD = new_id("build")
EXPLAINED = (
    ({"repoId": BUILD}, "/repoId", ("'repo_'", f"'{BUILD}' is the id of a build", "list_repos")),
    ({"repoId": "acme/web"}, "/repoId", ("'repo_'", "'acme/web' is not one", "list_repos")),
    ({"buildId": "128"}, "/buildId", ("'build_'", "'128' is not one", "list_builds")),
    ({"screenshotId": BUILD}, "/screenshotId", ("'shot_'", "a build", "get_build")),
    ({"recordingId": "shot_x"}, "/recordingId", ("'rec_'", "screenshot", "list_recordings")),
    ({"recordingId": "REC_x"}, "/recordingId", ("'rec_'", "'REC_x' is not one")),
    ({"repoId": ""}, "/repoId", ("'repo_'", "'' is not one")),
)


def test_an_id_of_another_kind_is_explained_at_its_place(case: Case) -> None:
    for payload, pointer, parts in EXPLAINED:
        with case(str(payload)):
            error = explain_wrong_id(payload, NotFoundError(BUILD_UNKNOWN))
            assert [place for place, _ in error.problems] == [pointer]
            for part in parts:
                assert part in str(error)


UNEXPLAINED = (
    {},
    {"repoId": new_id("repo")},
    # It may exist as well as any other: only a look into the database decides.
    {"repoId": "repo_123", "buildId": "build_"},
    {"repoId": 5},
    {"productKey": BUILD},
)


def test_another_error_stays_as_it_is(case: Case) -> None:
    for payload in UNEXPLAINED:
        with case(str(payload)):
            error = NotFoundError("The repository has no product 'x'.")
            assert explain_wrong_id(payload, error) is error


def test_an_unknown_id_comes_with_the_action_that_lists_them(case: Case) -> None:
    for name, unknown in UNKNOWN.items():
        with case(name):
            payload = {name: new_id(KINDS[name].prefix.rstrip("_"))}
            error = explain_wrong_id(payload, NotFoundError(unknown))
            assert str(error) == f"{unknown} {KINDS[name].listed_by} lists them."
            assert [place for place, _ in error.problems] == [f"/{name}"]


def test_every_id_of_the_published_inputs_is_known() -> None:
    names = {
        field.alias
        for action in published_actions()
        for field in action.input.model_fields.values()
        if field.alias and field.alias.endswith("Id")
    }
    # A story's id comes from the Storybook.
    assert names - {"storyId"} == KINDS.keys() == UNKNOWN.keys()


def test_the_action_that_lists_ids_is_published() -> None:
    assert {kind.listed_by for kind in KINDS.values()} <= {one.name for one in published_actions()}
