"""Examples are composed of those of the properties; none is invented."""

from typing import Any

import pytest

from tests.support.case import Case
from visual_review.api.openapi import compose_example, compose_object, merge_example, with_examples

PART = "#/components/schemas/Part"
KNOWN: dict[str, dict[str, Any]] = {
    "Part": {
        "type": "object",
        "properties": {
            "id": {"type": "string", "examples": ["part_1", "part_2"]},
            "removed": {"const": True},
        },
    },
    "State": {"type": "string", "enum": ["open", "closed"]},
}
COMPOSED = {"id": "part_1", "removed": True}
CASES: list[tuple[str, dict[str, Any], object]] = [
    ("its own", {"$ref": PART, "examples": [{"id": "other"}]}, {"id": "other"}),
    ("null of its own", {"type": "string", "examples": [None]}, None),
    ("of a component", {"$ref": PART}, COMPOSED),
    ("of what is not null", {"anyOf": [{"type": "null"}, {"$ref": PART}]}, COMPOSED),
    ("of an array", {"type": "array", "items": {"$ref": PART}}, [COMPOSED]),
    ("of an enumeration", {"$ref": "#/components/schemas/State"}, "open"),
]


def test_an_example_is_its_own_or_composed(case: Case) -> None:
    for name, schema, expected in CASES:
        with case(name):
            assert compose_example(schema, KNOWN) == expected


def test_an_object_has_the_named_properties_only() -> None:
    assert compose_object(KNOWN["Part"], KNOWN, ["removed"]) == {"removed": True}


def test_a_property_without_an_example_is_an_error() -> None:
    with pytest.raises(LookupError, match="give the property one"):
        compose_example({"type": "string"}, KNOWN)


def test_a_component_gets_examples_of_its_properties() -> None:
    schema = {"type": "object", "properties": {"part": {"$ref": PART}}}
    filled = with_examples(schema, KNOWN)
    assert filled["properties"]["part"] == {"$ref": PART, "examples": [COMPOSED]}
    assert schema["properties"] == {"part": {"$ref": PART}}
    assert with_examples(KNOWN["State"], KNOWN)["examples"] == ["open"]


def test_an_action_replaces_parts_of_the_composed_example() -> None:
    composed = {"part": {"id": "part_1", "removed": True}, "warnings": ["one"], "more": False}
    merged = merge_example(composed, {"part": {"removed": None}, "warnings": []})
    assert merged == {"part": {"id": "part_1", "removed": None}, "warnings": [], "more": False}
    assert merge_example(composed, {}) == composed
    # An object in place of null, and null in place of an object.
    assert merge_example({"part": None}, {"part": {"id": "x"}}) == {"part": {"id": "x"}}
    assert merge_example(composed, {"part": None})["part"] is None
