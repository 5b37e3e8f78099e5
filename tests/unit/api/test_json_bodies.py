"""Reading JSON strictly: accepted values equal the sent ones, and nothing makes the reader fail."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.actions.json_values import MAX_DEPTH
from visual_review.api.json_bodies import parse_object
from visual_review.api.openapi import compose_example, compose_object, merge_example, with_examples
from visual_review.kernel.errors import InvalidInputError

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
objects = st.dictionaries(texts, values, max_size=5)


def nested(depth: int) -> bytes:
    """An object around ``depth`` - 1 arrays."""
    return b'{"a": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


@given(objects)
def test_every_storable_object_is_read_as_it_was_sent(sent: dict[str, Any]) -> None:
    assert parse_object(json.dumps(sent).encode()) == sent
    assert parse_object(json.dumps(sent, ensure_ascii=False).encode()) == sent


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode()))
@example(b'{"a":' * 100_000)
@example(b'{"a":"\\uDFFF\\uD800"}')
@example(b'{"a":1e400}')
@example(b'{"a":-' + b"9" * 5000 + b"}")
def test_any_bytes_are_parsed_or_rejected_with_a_message(data: bytes) -> None:
    found: object = None
    message = ""
    try:
        found = parse_object(data)
    except InvalidInputError as error:
        message = str(error)
    assert (found is None) == (0 < len(message) < 1000)
    # Whatever was read can be written and stored again.
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()


@given(objects, st.sampled_from(["\0", "\ud800", "\udfff"]), texts, texts)
def test_values_that_cannot_be_stored_are_rejected_with_their_position(
    sent: dict[str, Any], wrong: str, before: str, after: str
) -> None:
    sent["deep/~"] = [1, {"x": before + wrong + after}]
    with pytest.raises(InvalidInputError) as caught:
        parse_object(json.dumps(sent).encode())
    assert [place for place, _ in caught.value.problems] == ["/deep~1~0/1/x"]


@given(st.sampled_from([math.nan, math.inf, -math.inf]))
def test_numbers_that_are_not_json_are_rejected(number: float) -> None:
    with pytest.raises(InvalidInputError):
        parse_object(json.dumps({"a": number}).encode())


def test_the_bound_of_nesting_is_exact() -> None:
    assert parse_object(nested(MAX_DEPTH))
    with pytest.raises(InvalidInputError, match="nested deeper than 50"):
        parse_object(nested(MAX_DEPTH + 1))


def test_an_escaped_pair_of_surrogates_is_one_character() -> None:
    assert parse_object(b'{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@given(texts, texts)
def test_a_duplicate_name_is_rejected_even_with_other_escapes(name: str, other: str) -> None:
    plain = json.dumps(name, ensure_ascii=False)
    escaped = '"' + "".join(f"\\u{unit:04x}" for unit in utf16_units(name)) + '"'
    between = json.dumps(other + "x" + name)
    with pytest.raises(InvalidInputError, match="twice"):
        parse_object(f"{{{plain}: 1, {between}: 2, {escaped}: 3}}".encode())


def utf16_units(text: str) -> list[int]:
    data = text.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]


def test_long_names_on_a_deep_way_cost_no_memory() -> None:
    # Each of the many values lies below a name as long as the rest of the body.
    body = {"x" * 400_000: [0] * 200_000}
    assert len(parse_object(json.dumps(body).encode())) == 1


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
