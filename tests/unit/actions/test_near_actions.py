"""The actions that a caller is offered in place of an unknown one."""

from itertools import product

from tests.support.case import Case
from visual_review.actions.registry import callable_actions, near_actions
from visual_review.api.paths import describe_unknown_path

READ_ONLY = {action.name for action in callable_actions() if action.read_only}
NAMES = [action.name for action in callable_actions()]
VERBS = sorted(
    {name.partition("_")[0] for name in NAMES if "_" in name} | {"delete", "update", "undo", "show"}
)
THINGS = sorted(
    {name.partition("_")[2] for name in NAMES if "_" in name} | {"screenshots", "story", "token"}
)
MEANT = (
    ("approve_story", []),
    ("rotate_token", []),
    ("unapprove_all_screenshots", []),
    ("undo_all_screenshots", []),
    ("approveBuild", ["approve_build"]),
    ("aprove_all_screenshots", ["approve_all_screenshots"]),
    ("show_builds", ["list_builds", "find_builds"]),
)


def test_a_hint_names_one_action_that_changes_something_only_for_its_own_name(case: Case) -> None:
    for name, near in MEANT:
        with case(name):
            assert near_actions(name) == near
            described = describe_unknown_path(f"/api/rest/action/{name}")
            assert ("Did you mean" in described) is bool(near)
            assert not near or f"'/api/rest/actions/{near[-1]}'?" in described


def test_no_other_verb_or_thing_leads_to_one_action_that_changes_something() -> None:
    for verb, thing in product(VERBS, THINGS):
        name = f"{verb}_{thing}"
        near = near_actions(name)
        alone = near[0] if len(near) == 1 else name
        assert alone in READ_ONLY or alone.rstrip("s") == name.rstrip("s")


STRONGER = (
    ("/api/rest/action/approve_screenshot", "approve_all_screenshots", "review_screenshot"),
    ("/api/rest/v1/actions/delete_repo", "delete_recording", "remove_repo"),
    ("/api/rest/action/delete_build", "reject_build", "get_build"),
    ("/api/rest/action/update_recording", "delete_recording", "get_recording"),
)


def test_a_wrong_path_is_never_answered_by_a_stronger_action_alone(case: Case) -> None:
    for path, stronger, other in STRONGER:
        with case(path):
            described = describe_unknown_path(path)
            assert f"/api/rest/actions/{stronger}'" in described
            assert f"/api/rest/actions/{other}'" in described
