import pytest

from visual_review.actions.capture_results import (
    is_captured,
    warn_of_altered_regions,
    warn_of_cleared_override,
    warn_of_unseen_story,
)
from visual_review.repositories.capture_rules import (
    Axes,
    Capabilities,
    CaptureRequest,
    CaptureSettings,
    change_product,
    resolve_matrix,
)
from visual_review.repositories.regions import Rectangle

WHERE = {"repoId": "repo_1", "productKey": "docs"}
BOTH = Axes(("light",), ("phone", "desktop"))


def warnings_of(override: Axes, request: CaptureRequest) -> list[str]:
    before = CaptureSettings(override, detection_armed=False)
    return warn_of_cleared_override(before, change_product(before, request), request, WHERE)


@pytest.mark.parametrize("redetect", [False, True])
def test_a_cleared_override_is_named_with_the_input_that_sets_it_again(*, redetect: bool) -> None:
    [warning] = warnings_of(BOTH, CaptureRequest(redetect=redetect))
    assert warning == (
        "The override of themes (light) and devices (phone, desktop) was cleared, because a call "
        "without it makes it automatic. To set it again, call set_repo_capture with "
        '{"repoId": "repo_1", "productKey": "docs", "themes": ["light"], '
        '"devices": ["phone", "desktop"]}.'
    )


def test_the_input_keeps_the_axis_that_was_sent() -> None:
    [warning] = warnings_of(BOTH, CaptureRequest(themes=["dark"]))
    assert "The override of devices (phone, desktop) was cleared" in warning
    assert '"themes": ["dark"], "devices": ["phone", "desktop"]}' in warning


@pytest.mark.parametrize(
    "request_",
    [
        CaptureRequest(reset_to_auto=True, redetect=True),
        CaptureRequest(themes=["light"], devices=["phone"], redetect=True),
    ],
)
def test_a_requested_reset_and_a_new_override_need_no_warning(request_: CaptureRequest) -> None:
    assert warnings_of(BOTH, request_) == []


def test_nothing_to_clear_needs_no_warning() -> None:
    assert warnings_of(Axes(), CaptureRequest(redetect=True)) == []


def test_names_are_quoted_readably_and_without_hidden_characters() -> None:
    warning = warn_of_unseen_story("шапка", ["шапка--основная", "a\u202eb\n"])
    assert 'has the story "шапка"' in warning
    assert 'Did you mean "шапка--основная" or "a\\u202eb\\n"?' in warning


def test_an_armed_detection_captures_every_variant() -> None:
    matrix = resolve_matrix(BOTH, Axes(), Capabilities())
    assert is_captured("light", "phone", matrix, armed=False)
    assert not is_captured("dark", "phone", matrix, armed=False)
    assert is_captured("dark", "phone", matrix, armed=True)


def test_regions_within_the_image_are_not_warned_of_whatever_rounding_does() -> None:
    tenths = [number / 10 for number in range(10)]
    assert warn_of_altered_regions([Rectangle(x, x, 1 - x, 1 - x) for x in tenths]) == []
    # In floating point 0.9 + 0.1 is 1, and 1 - 0.9 less than 0.1.
    assert warn_of_altered_regions([Rectangle(0.9, 0.7, 0.1, 0.3)]) == []


def test_only_the_first_places_of_many_are_named() -> None:
    [warning] = warn_of_altered_regions([Rectangle(0.5, 0, 1, 1)] * 200)
    assert warning.endswith(
        "clipped: " + ", ".join(f"/regions/{n}" for n in range(5)) + " and 195 more."
    )
