"""Messages to a caller about an invalid input: names, pointers, and no words of Python."""

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.support.case import Case
from visual_review.actions.action import Action
from visual_review.actions.dispatch import TEXTS, WRONG_TYPES, validate, validate_as
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published_calls import KINDS, UNKNOWN, explain_wrong_id
from visual_review.actions.registry import (
    any_action,
    callable_actions,
    near_actions,
    published_actions,
)
from visual_review.api.ci import capture_plan, create_build, progress, recordings, screenshots
from visual_review.api.paths import describe_unknown_path
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.kernel.ids import new_id

FOREIGN = re.compile(
    r"dictionary|instance|Input|Value error|\bNone\b|\bstr\b|\bint\b|\bdict\b|\blist\b|\bbool\b|"
    r"\bfloat\b|Field|Extra|valid (string|integer|number|list)|Null|object at 0x|pydantic|tuple"
)
Payload = dict[str, Any]


def problems_of(name: str, payload: Payload) -> dict[str, str]:
    with pytest.raises(InvalidInputError) as caught:
        validate(any_action(name), payload)
    return dict(caught.value.problems)


MESSAGES: tuple[tuple[str, Payload, dict[str, str]], ...] = (
    ("get_build", {"buildId": None}, {"/buildId": "must not be null; it is required"}),
    (
        "list_builds",
        {"repoId": "r", "productKey": None, "limit": None},
        {
            "/productKey": "must not be null; omit it instead",
            "/limit": "must not be null; omit it instead",
        },
    ),
    (
        "get_build",
        {"buildId": "b", "zzz": 1},
        {"/zzz": "is not a known property; the only one is buildId"},
    ),
    ("get_build", {}, {"/buildId": "is missing; it is required"}),
    ("get_build", {"buildId": 5}, {"/buildId": "must be a string, not an integer"}),
    ("get_build", {"buildId": ["b"]}, {"/buildId": "must be a string, not an array"}),
    (
        "list_builds",
        {"repoId": "r", "limit": "10"},
        {"/limit": "must be an integer, not a string"},
    ),
    (
        "list_builds",
        {"repoId": "r", "limit": 1.5},
        {"/limit": "must be an integer, not a fraction"},
    ),
    (
        "list_builds",
        {"repoId": "r", "limit": True},
        {"/limit": "must be an integer, not a boolean"},
    ),
    (
        "list_builds",
        {"repoId": "r", "limit": 2**60},
        {"/limit": "must be at most 9007199254740991"},
    ),
    (
        "list_builds",
        {"repo_id": "r"},
        {
            "/repoId": "is missing; it is required",
            "/repo_id": "is not a known property; did you mean 'repoId'?",
        },
    ),
    (
        "list_builds",
        {"repoId": "r", "Limit": 5, "colour": 1},
        {
            "/Limit": "is not a known property; did you mean 'limit'?",
            "/colour": "is not a known property; the known ones are repoId, productKey, limit",
        },
    ),
    ("list_repos", {"a": 1}, {"/a": "is not a known property; none are allowed here"}),
    (
        "set_dynamic_regions",
        {
            "repoId": "r",
            "storyId": "s",
            "theme": "dim",
            "device": "phone",
            "regions": [{"x": 0, "y": 0, "w": 1, "height": 1}],
        },
        {
            "/theme": "must be 'light' or 'dark'",
            "/regions/0/width": "is missing; it is required",
            "/regions/0/w": "is not a known property; the known ones are x, y, width, height",
        },
    ),
    (
        "set_repo_capture",
        {"repoId": "r", "themes": "light", "redetect": "yes"},
        {
            "/themes": "must be an array, not a string",
            "/redetect": "must be true or false, not a string",
        },
    ),
    ("set_repo_capture", {"repoId": "r", "themes": []}, {"/themes": "must have at least 1 item"}),
    (
        "set_org_capture",
        {"devices": [None]},
        {"/devices/0": "must be 'phone', 'tablet' or 'desktop'"},
    ),
    (
        "connect_repo",
        {"fullName": "acme", "defaultBranch": "a b"},
        {
            "/fullName": "must have the form owner/repo (or group/subgroup/repo) of letters of any "
            "script, digits, '.', '_' and '-'",
            "/defaultBranch": "is not a branch name: it must not be empty or contain spaces, "
            "control characters, any of ~^:?*[\\ or an empty part between slashes",
        },
    ),
    ("connect_repo", {"fullName": ""}, {"/fullName": "must have at least 1 character"}),
)


def test_every_problem_is_at_its_place_in_the_words_of_json(case: Case) -> None:
    for name, payload, expected in MESSAGES:
        with case(f"{name} {payload}"):
            assert problems_of(name, payload) == expected


def test_objects_in_arrays_are_described_as_objects() -> None:
    payload = {"repoId": "r", "storyId": "s", "theme": "dark", "device": "phone", "regions": ["x"]}
    assert problems_of("set_dynamic_regions", payload) == {
        "/regions/0": "must be an object, not a string"
    }


def test_the_message_names_three_problems_and_counts_the_others() -> None:
    with pytest.raises(InvalidInputError) as caught:
        validate(any_action("get_build"), dict.fromkeys("abcdef", 1))
    text = str(caught.value)
    assert text.startswith("The input of 'get_build' is not valid: /buildId: is missing")
    assert text.endswith("; and 4 more")
    assert text.count("; /") == 2
    assert len(caught.value.problems) == 7


def models() -> Iterator[type[BaseModel]]:
    everything: tuple[Action[Any, Any], ...] = (*published_actions(), *INTERNAL)
    yield from {action.input for action in everything}
    modules: tuple[Any, ...] = (create_build, progress, recordings, screenshots)
    yield from (module.Input for module in modules)
    yield capture_plan.Query


# Possible errors of each kind in Pydantic's core schema; the keys are limits of the schema.
REPORTED: dict[str, dict[str, tuple[str, ...]]] = {
    "str": {
        "": ("string_type",),
        "min_length": ("string_too_short",),
        "max_length": ("string_too_long",),
        "pattern": ("string_pattern_mismatch",),
    },
    "int": {
        "": ("int_type", "int_from_float"),
        "ge": ("greater_than_equal",),
        "le": ("less_than_equal",),
    },
    "float": {
        "": ("float_type", "finite_number"),
        "ge": ("greater_than_equal",),
        "le": ("less_than_equal",),
    },
    "bool": {"": ("bool_type",)},
    "datetime": {"": ("datetime_type",)},
    "literal": {"": ("literal_error",)},
    "list": {"": ("list_type",), "min_length": ("too_short",), "max_length": ("too_long",)},
    "dict": {"": ("dict_type",), "max_length": ("too_long",)},
    "model": {"": ("model_type", "model_attributes_type")},
    "model-fields": {"": ("missing", "extra_forbidden", "dict_type", "model_attributes_type")},
    "function-before": {"": ("value_error",)},
    "function-after": {"": ("value_error",)},
    "model-field": {},
    "nullable": {},
    "default": {},
    "definitions": {},
    "definition-ref": {},
}
LIMITS = frozenset(
    ("min_length", "max_length", "pattern", "ge", "le", "gt", "lt", "multiple_of", "unique")
)


def reachable(schema: object) -> Iterator[str]:
    """Yield the possible types of errors of a core schema."""
    if isinstance(schema, list | tuple):
        for each in schema:
            yield from reachable(each)
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    if isinstance(kind, str):
        table = REPORTED[kind]
        yield from table.get("", ())
        for limit in schema.keys() & LIMITS:
            yield from table[limit]
    skipped = {"metadata", "serialization", "function"}
    nested = {key: value for key, value in schema.items() if key not in skipped}
    for value in nested.values():
        yield from reachable(value)


def test_every_error_that_an_input_can_cause_has_a_text(case: Case) -> None:
    for model in models():
        with case(f"{model.__module__}.{model.__name__}"):
            kinds = set(reachable(model.__pydantic_core_schema__))
            assert kinds - {"extra_forbidden"} <= TEXTS.keys() | WRONG_TYPES.keys()


PROPERTY_NAMES = sorted(
    {
        field.alias or name
        for action in published_actions()
        for name, field in action.input.model_fields.items()
    }
    | {"x", "y", "width", "height", "colour", "repo_id", "Theme", "~/", "日本"}
)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(("", "light", "phone", "rejected", "a" * 20_000, "ü/é"))
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(PROPERTY_NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(
    st.sampled_from([action.name for action in published_actions()]),
    st.dictionaries(st.sampled_from(PROPERTY_NAMES), values, max_size=8),
)
def test_no_message_has_words_of_python(name: str, payload: Payload) -> None:
    for pointer, message in rejected(lambda: validate(any_action(name), payload)):
        assert not FOREIGN.search(message), message
        assert pointer.startswith("/")


@given(st.sampled_from((create_build, screenshots, recordings)), values)
def test_no_message_of_the_ci_interface_has_words_of_python(module: Any, value: object) -> None:  # noqa: ANN401 - A module.
    payload = value if isinstance(value, dict) else {"screenshots": value, "matrix": value}
    for _, message in rejected(lambda: validate_as(module.Input, payload, "the call")):
        assert not FOREIGN.search(message), message


def rejected(check: Callable[[], object]) -> list[tuple[str, str]]:
    """Return the problems of an input, with the whole message as the first; none if valid."""
    try:
        check()
    except InvalidInputError as error:
        return [("/", str(error).removeprefix("The input of")), *error.problems]
    return []


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
    # The ID may exist as well as any other: only a look into the database decides.
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
