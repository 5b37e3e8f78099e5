"""The list of tools as it goes out: in order, private to its caller, the same every time, short."""

import json
from itertools import product

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.personas import Personas
from visual_review.actions.registry import callable_actions

# Of a whole list: that of the published actions, of a review, and of all.
MOST_BYTES = {"?tools=published": 12_000, "?tools=review": 14_800, "": 20_800}


def test_the_list_is_byte_for_byte_the_same_and_short(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.alice)
    for version, (query, most) in product(PROTOCOL_VERSIONS, MOST_BYTES.items()):
        with case(f"{version} {query}"):
            first = endpoint.ask(key, "tools/list", None, version, query).content
            assert endpoint.ask(key, "tools/list", None, version, query).content == first
            assert len(first) < most


MEMBERS = ("alice", "bob", "carol")


def test_the_list_holds_what_its_caller_may_in_the_order_of_the_interface(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    for name, version in product(MEMBERS, PROTOCOL_VERSIONS):
        with case(f"{name}, {version}"):
            persona = getattr(personas, name)
            listed = endpoint.result(user_key(persona), "tools/list", version=version)["tools"]
            allowed = [
                action.name
                for action in callable_actions()
                if persona.caller.may(action.permission)
            ]
            assert [tool["name"] for tool in listed] == allowed


def test_the_list_says_nothing_that_the_protocol_takes_for_granted(
    endpoint: Endpoint, personas: Personas
) -> None:
    response = endpoint.ask(user_key(personas.alice), "tools/list")
    assert "null" not in json.dumps(response.json()["result"])
