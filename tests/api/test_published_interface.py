"""The registry keeps to the published interface, owned outside of the repository."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.published_interface import DOCUMENT, HEADER, read_table
from visual_review.actions.registry import callable_action, published_actions
from visual_review.api.openapi import build_document

PUBLISHED = read_table(DOCUMENT.read_text(encoding="utf-8"))
OWNERS = Path(__file__).parents[2].parent / "shared" / DOCUMENT.name
# Values refused by the service beyond the published bounds, each for a reason of its own.
TIGHTENED = {
    ("connect_repo", "fullName"): {"maxLength", "pattern"},
    ("connect_repo", "defaultBranch"): {"maxLength", "pattern"},
    ("set_repo_capture", "themes"): {"minItems"},
    ("set_repo_capture", "devices"): {"minItems"},
    ("set_org_capture", "themes"): {"minItems"},
    ("set_org_capture", "devices"): {"minItems"},
    ("review_screenshot", "comment"): {"maxLength"},
    ("set_dynamic_regions", "storyId"): {"maxLength"},
    ("set_dynamic_regions", "regions"): {"maxItems"},
}
# No schema has a default: the service's values stand in the model and its description.
SILENT = {"description", "type", "items", "enum", "default", "examples"}
OPENAPI = build_document()


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with all references; its own description counts."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found = {**OPENAPI["components"]["schemas"][reference.rpartition("/")[2]], **schema}
    del found["$ref"]
    return found


def input_schema(name: str) -> dict[str, Any]:
    operation = OPENAPI["paths"][f"/api/rest/actions/{name}"]["post"]
    return resolved(operation["requestBody"]["content"]["application/json"]["schema"])


def test_the_table_is_the_one_its_owner_published() -> None:
    if not OWNERS.exists():
        pytest.skip("the owner's document is not beside this checkout")
    assert DOCUMENT.read_bytes() == OWNERS.read_bytes()


def test_the_table_holds_twenty_actions() -> None:
    assert len(PUBLISHED) == 20


UNKNOWN_WORDS = ("repoId text req", "limit integer (default 25; at most 9)", "state req")


def test_types_in_the_table_that_are_not_understood_are_rejected(case: Case) -> None:
    for fields in UNKNOWN_WORDS:
        with case(fields):
            table = f"{HEADER}\n|---|---|---|---|\n| an_action | builds:view | {fields} | Acts |"
            with pytest.raises(ValueError, match=r"not understood|names no type"):
                read_table(table)


def test_the_actions_are_the_published_ones_in_their_order() -> None:
    assert [action.name for action in published_actions()] == list(PUBLISHED)


def test_an_action_needs_the_published_permission(case: Case) -> None:
    for name in PUBLISHED:
        with case(name):
            assert callable_action(name).permission == PUBLISHED[name]["permission"]


def test_an_action_takes_the_published_properties_and_no_others(case: Case) -> None:
    for name in PUBLISHED:
        with case(name):
            schema = input_schema(name)
            assert schema["additionalProperties"] is False
            compare(name, schema, PUBLISHED[name]["properties"])


def compare(name: str, schema: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert list(schema["properties"]) == list(wanted)
    required = [key for key, value in wanted.items() if value.get("required")]
    assert sorted(schema.get("required", [])) == sorted(required)
    for key, value in wanted.items():
        compare_property(name, key, resolved(schema["properties"][key]), value)


def compare_property(name: str, key: str, field: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert field["type"] == wanted["type"]
    assert field.get("enum") == wanted.get("enum")
    assert "default" not in field
    bounds = {bound: field[bound] for bound in field.keys() - SILENT}
    if bounds.get("pattern") == "^[^\\u0000]*$":
        del bounds["pattern"]
    tighter = {bound: bounds.pop(bound) for bound in TIGHTENED.get((name, key), ())}
    assert None not in tighter.values()
    assert bounds == {bound: wanted[bound] for bound in wanted.keys() - SILENT - {"required"}}
    items = wanted.get("items")
    if isinstance(items, list):
        assert resolved(field["items"])["enum"] == items
    elif isinstance(items, dict):
        assert resolved(field["items"])["additionalProperties"] is False
        compare(name, resolved(field["items"]), items)


def test_published_defaults_apply_and_stand_in_descriptions(case: Case) -> None:
    for name, action in PUBLISHED.items():
        model = callable_action(name).input
        for field in model.model_fields.values():
            wanted = action["properties"][field.alias].get("default")
            with case(f"{name} {field.alias}"):
                # Of a flag, false says no more than an omitted flag.
                assert (field.default or None if not field.is_required() else None) == wanted
                description = input_schema(name)["properties"][field.alias].get("description", "")
                assert wanted is None or f"Omitted: {wanted}" in description
