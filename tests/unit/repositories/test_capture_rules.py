"""The rules of the capture matrix, with examples and for any input."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.boolean_settings import COUNTS_FAINT_CHANGES
from visual_review.repositories.capture_rules import (
    Axes,
    Capabilities,
    CaptureRequest,
    CaptureSettings,
    canonical_devices,
    canonical_themes,
    change_default,
    change_product,
    resolve_matrix,
)
from visual_review.variants import DEVICES, THEMES

NOTHING = Axes()
UNKNOWN = Capabilities()

themes = st.lists(st.sampled_from(THEMES), min_size=1, max_size=5)
devices = st.lists(st.sampled_from(tuple(DEVICES)), min_size=1, max_size=6)
axes = st.builds(
    Axes,
    st.none() | themes.map(canonical_themes),
    st.none() | devices.map(canonical_devices),
)
measured = st.none() | st.booleans()
capabilities = st.builds(Capabilities, measured, measured)
flags = st.booleans()
requests = st.builds(CaptureRequest, st.none() | themes, st.none() | devices, flags, flags)
settings = st.builds(CaptureSettings, axes, flags)


def contradicts(request: CaptureRequest) -> bool:
    chosen = request.themes is not None or request.devices is not None
    return request.reset_to_auto and chosen


def test_all_six_are_captured_before_detection() -> None:
    found = resolve_matrix(NOTHING, NOTHING, UNKNOWN)
    assert (found.themes, found.devices, found.source) == (THEMES, tuple(DEVICES), "all")
    assert len(found.variants) == 6


def test_detection_omits_variants_without_a_difference() -> None:
    found = resolve_matrix(NOTHING, NOTHING, Capabilities(has_dark_mode=False, is_responsive=False))
    assert (found.themes, found.devices, found.source) == (("light",), ("desktop",), "detected")


def test_the_strongest_source_of_an_axis_wins() -> None:
    found = resolve_matrix(
        Axes(themes=("dark",)), Axes(("light",), ("phone",)), Capabilities(is_responsive=False)
    )
    assert (found.themes, found.themes_source) == (("dark",), "override")
    assert (found.devices, found.devices_source) == (("phone",), "organization")
    assert found.source == "override"


@given(axes, axes, capabilities)
def test_a_matrix_is_never_empty_and_always_in_canonical_order(
    override: Axes, default: Axes, known: Capabilities
) -> None:
    found = resolve_matrix(override, default, known)
    assert found.themes == canonical_themes(found.themes) != ()
    assert found.devices == canonical_devices(found.devices) != ()
    assert len(found.variants) == len(found.themes) * len(found.devices)


@given(axes, axes, capabilities)
def test_each_axis_is_resolved_separately(
    override: Axes, default: Axes, known: Capabilities
) -> None:
    whole = resolve_matrix(override, default, known)
    only_themes = resolve_matrix(
        Axes(themes=override.themes),
        Axes(themes=default.themes),
        Capabilities(has_dark_mode=known.has_dark_mode),
    )
    assert (whole.themes, whole.themes_source) == (only_themes.themes, only_themes.themes_source)


@given(themes, devices)
def test_duplicates_are_removed_and_nothing_is_lost(some: list[str], more: list[str]) -> None:
    asked = CaptureRequest(themes=some, devices=more).axes()  # type: ignore[arg-type]
    assert asked.themes is not None
    assert asked.devices is not None
    assert set(asked.themes) == set(some)
    assert set(asked.devices) == set(more)
    assert len(asked.themes) + len(asked.devices) == len(set(some)) + len(set(more))


@given(settings, requests)
def test_a_products_override_becomes_exactly_what_is_named(
    current: CaptureSettings, request: CaptureRequest
) -> None:
    assume(not contradicts(request))
    changed = change_product(current, request)
    assert changed.override == request.axes()
    assert changed.detection_armed == (current.detection_armed or request.redetect)
    assert change_product(changed, request) == changed


@given(axes, requests)
def test_the_default_keeps_each_axis_that_is_not_named(
    current: Axes, request: CaptureRequest
) -> None:
    assume(not contradicts(request))
    changed = change_default(current, request)
    if request.reset_to_auto:
        assert changed == NOTHING
    else:
        asked = request.axes()
        assert changed.themes == (asked.themes or current.themes)
        assert changed.devices == (asked.devices or current.devices)


@given(requests.filter(contradicts))
def test_a_reset_together_with_a_choice_is_rejected(request: CaptureRequest) -> None:
    with pytest.raises(InvalidInputError) as caught:
        change_product(CaptureSettings(NOTHING, detection_armed=False), request)
    assert [pointer for pointer, _ in caught.value.problems] == ["/resetToAuto"]
    with pytest.raises(InvalidInputError):
        change_default(NOTHING, request)


@pytest.mark.parametrize(
    ("request_", "pointer"),
    [(CaptureRequest(themes=[]), "/themes"), (CaptureRequest(devices=[]), "/devices")],
)
def test_an_empty_choice_is_rejected(request_: CaptureRequest, pointer: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        change_default(NOTHING, request_)
    assert [found for found, _ in caught.value.problems] == [pointer]


def test_the_service_and_the_command_line_have_the_same_default() -> None:
    # The two modules cannot import each other.
    assert COUNTS_FAINT_CHANGES.default is FAINT_COUNTS_BY_DEFAULT
