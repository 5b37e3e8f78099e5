"""Contents and layout of a composite, from sizes and boxes alone, before any image is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.rendering.arrangement import LONGEST_SIDE, MOST_PIXELS, PADDING
from visual_review.imagediff.rendering.composite_plan import Panel, Plan, plan_composite

SIDES = st.integers(1, 32_768)
SIZES = st.tuples(SIDES, SIDES).filter(lambda size: size[0] * size[1] <= 48 * 1024 * 1024)


@st.composite
def boxes_within(draw: st.DrawFn, width: int, height: int) -> Box:
    x, y = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    return Box(x, y, draw(st.integers(1, width - x)), draw(st.integers(1, height - y)))


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, list[Box]]:
    sizes = draw(st.lists(SIZES, min_size=1, max_size=3))
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes)
    boxes = draw(st.lists(boxes_within(width, height), max_size=50))
    panels = [Panel(f"Panel {number}", *size) for number, size in enumerate(sizes)]
    return plan_composite(panels, boxes), boxes


def within(inner: Box, outer: Box) -> bool:
    return (
        inner.x >= outer.x
        and inner.y >= outer.y
        and inner.x + inner.width <= outer.x + outer.width
        and inner.y + inner.height <= outer.y + outer.height
    )


def separate(one: Box, two: Box) -> bool:
    return (
        one.x + one.width <= two.x
        or two.x + two.width <= one.x
        or one.y + one.height <= two.y
        or two.y + two.height <= one.y
    )


def changed(width: int, height: int, *boxes: Box) -> Plan:
    names = ("Before", "After", "Difference")
    return plan_composite([Panel(name, width, height) for name in names], boxes)


@given(plans())
def test_a_composite_stays_within_its_limits(made: tuple[Plan, list[Box]]) -> None:
    arrangement = made[0].arrangement
    assert max(arrangement.width, arrangement.height) <= LONGEST_SIDE
    assert arrangement.width * arrangement.height <= MOST_PIXELS


@given(plans())
def test_labels_and_images_are_on_the_canvas_and_do_not_overlap(
    made: tuple[Plan, list[Box]],
) -> None:
    arrangement = made[0].arrangement
    layouts = [layout for row in arrangement.layouts for layout in row]
    boxes = [box for layout in layouts for box in (layout.label, layout.image)]
    inside = Box(
        PADDING, PADDING, arrangement.width - 2 * PADDING, arrangement.height - 2 * PADDING
    )
    assert all(within(box, inside) for box in boxes)
    assert all(separate(one, two) for at, one in enumerate(boxes) for two in boxes[:at])


@given(plans())
def test_crops_are_within_the_images_and_a_complete_plan_misses_no_change(
    made: tuple[Plan, list[Box]],
) -> None:
    plan, boxes = made
    assert len(plan.arrangement.layouts) == len(plan.crops)
    assert all(within(crop, plan.area) for crop in plan.crops)
    # A single image is shown completely, in parts without a common row.
    if len(plan.panels) == 1:
        assert sum(crop.height for crop in plan.crops) == plan.area.height
    elif plan.complete:
        assert all(any(within(box, crop) for crop in plan.crops) for box in boxes or [plan.area])
    else:
        assert "more changed outside" in plan.describe_view()


@given(plans())
def test_enlarged_pixels_stay_square(made: tuple[Plan, list[Box]]) -> None:
    scale = made[0].arrangement.scale
    assert 0 < scale <= 4
    assert scale < 1 or scale == int(scale)


def test_only_what_is_new_near_moved_content_is_shown() -> None:
    moved = Change("moved", Box(0, 300, 390, 2500), 90_000, "moved", Offset(0, 40))
    added = Change("appeared", Box(0, 260, 390, 40), 9_000, "appeared")
    names = ("Before", "After", "Difference")
    panels = [Panel(name, 390, 2800) for name in names]
    plan = plan_composite(panels, [Box(0, 260, 390, 2540)], [added, moved])
    assert plan.crops == (Box(0, 212, 390, 136),)
    assert not plan.complete
    assert plan.describe_view().endswith("more changed outside, moved content continues outside")
    plan = plan_composite(panels, [added.box, moved.box], [added, moved])
    assert plan.complete
    assert plan.describe_view().endswith("of 390x2800, moved content continues outside")


def test_content_that_only_moved_is_shown_where_it_was_and_where_it_is() -> None:
    moved = Change("moved", Box(200, 500, 100, 60), 900, "moved", Offset(150, 0))
    panels = [Panel(name, 800, 1200) for name in ("Before", "After", "Difference")]
    plan = plan_composite(panels, [moved.box], [moved])
    assert plan.crops == (Box(2, 452, 346, 156),)
    assert "moved content continues" not in plan.describe_view()


def test_a_small_change_is_shown_with_its_surroundings_and_enlarged() -> None:
    plan = changed(1440, 900, Box(700, 450, 10, 10))
    assert plan.crops == (Box(625, 402, 160, 106),)
    assert plan.arrangement.order == "side_by_side"
    assert plan.arrangement.scale == 3
    assert plan.describe_view() == "160x106 at 625,402 of 1440x900, enlarged 3 times"


def test_a_margin_ends_at_the_edge_of_the_image() -> None:
    assert changed(300, 200, Box(0, 150, 300, 50)).crops == (Box(0, 100, 300, 100),)
    assert changed(300, 200, Box(0, 190, 300, 10)).crops == (Box(0, 100, 300, 100),)
    assert changed(300, 60, Box(0, 50, 300, 10)).crops == (Box(0, 0, 300, 60),)


def test_a_large_change_has_a_margin_of_a_tenth() -> None:
    plan = changed(2000, 2000, Box(500, 600, 1000, 700))
    assert plan.crops == (Box(400, 530, 1200, 840),)


def test_phone_pages_are_side_by_side_at_their_own_size() -> None:
    plan = changed(390, 844, Box(0, 0, 390, 844))
    assert (plan.arrangement.order, plan.arrangement.scale) == ("side_by_side", 1)
    assert plan.describe_view() == "All of 390x844"


@pytest.mark.parametrize(("width", "height"), [(1440, 60), (1440, 900), (3000, 100)])
def test_only_what_could_not_be_read_side_by_side_is_stacked(width: int, height: int) -> None:
    plan = changed(width, height, Box(0, 0, width, height))
    assert plan.arrangement.order == "stacked"
    tops = [layout.image.y for layout in plan.arrangement.layouts[0]]
    assert tops == sorted(set(tops))
    # Side by side each would have a third of the width.
    assert plan.arrangement.scale > 1.3 * (LONGEST_SIDE / 3) / width


def test_changes_far_apart_are_shown_as_parts() -> None:
    plan = changed(390, 3000, Box(100, 120, 60, 30), Box(20, 2850, 300, 40))
    assert [crop.y for crop in plan.crops] == [72, 2802]
    assert plan.arrangement.scale == 1
    assert plan.describe_view() == "2 parts of 390x3000"
    assert plan.label(plan.panels[0], plan.crops[1]) == "Before at 0,2802"


def test_changes_that_fit_together_stay_together() -> None:
    plan = changed(390, 844, Box(100, 120, 60, 30), Box(20, 750, 300, 40))
    assert len(plan.crops) == 1


def test_no_more_than_four_parts_are_shown() -> None:
    plan = changed(390, 20_000, *(Box(0, top, 300, 10) for top in range(0, 4000, 400)))
    assert len(plan.crops) <= 4
    assert plan.complete


def test_only_the_beginning_of_a_very_tall_change_is_shown() -> None:
    plan = changed(390, 20_000, Box(0, 0, 390, 20_000))
    (crop,) = plan.crops
    assert (crop.x, crop.y, crop.width) == (0, 0, 390)
    assert plan.arrangement.scale >= 0.25
    assert not plan.complete
    assert plan.describe_view().endswith("more changed outside")


def test_parts_are_preferred_to_truncation() -> None:
    plan = changed(1440, 4553, Box(1202, 25, 193, 13), Box(0, 1569, 1440, 2984))
    assert plan.complete
    assert plan.describe_view() == "2 parts of 1440x4553, shown at 26%"


def test_the_beginning_is_where_the_first_change_is() -> None:
    plan = changed(32_000, 1000, Box(20_000, 10, 12_000, 990), Box(0, 500, 100, 10))
    (crop,) = plan.crops
    assert crop.x <= 20_000 < crop.x + crop.width


def test_a_single_tall_image_is_shown_in_columns() -> None:
    plan = plan_composite([Panel("After", 390, 5000)])
    assert len(plan.crops) > 2
    assert plan.arrangement.scale > 0.6
    assert plan.describe_view().startswith(
        f"All of 390x5000 in {len(plan.crops)} columns, shown at "
    )
    assert plan.label(plan.panels[0], plan.crops[1]) == f"After from row {plan.crops[1].y}"


def test_an_image_that_fits_is_shown_unscaled() -> None:
    plan = plan_composite([Panel("After", 390, 844)])
    assert plan.describe_view() == "All of 390x844"
    assert plan.label(plan.panels[0], plan.crops[0]) == "After, 390x844"
