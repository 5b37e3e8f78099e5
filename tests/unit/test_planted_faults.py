"""Faults that are planted to try the tests are found by their syntax tree, or reported."""

from dataclasses import replace

import pytest
from scripts.planted_faults import PLANTS, Fault, PlantError, find_unplantable, plant_fault

SOURCE = """
def other():
    return not allowed(1)

def guard(x):
    if not   allowed( x ):  # whatever its layout
        raise Refused("nö", x)
    return [not allowed(x)]
"""
PLANT = Fault("a test", "module", "guard", "not allowed(x)", "False", ())


def test_every_fault_can_be_planted_now() -> None:
    assert find_unplantable() == []
    assert len(PLANTS) == 5


def test_each_place_in_the_function_is_replaced_and_none_outside() -> None:
    text = plant_fault(SOURCE, PLANT)
    assert text.count("False") == 2
    assert "return not allowed(1)" in text
    assert "    if False:  # whatever its layout\n" in text
    assert 'raise Refused("nö", x)' in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": "gone"}, "has no function gone"),
        ({"found": "not allowed(y)"}, "has no expression `not allowed\\(y\\)`"),
    ],
)
def test_a_fault_that_no_longer_fits_is_named(change: dict[str, str], message: str) -> None:
    with pytest.raises(PlantError, match=message):
        plant_fault(SOURCE, replace(PLANT, **change))  # type: ignore[arg-type]
