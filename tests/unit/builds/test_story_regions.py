"""The ignored regions of a story in both images of a pair."""

import json

from visual_review.builds.story_regions import (
    MOST_REGIONS,
    Rectangle,
    as_fractions,
    find_ignored,
    to_rectangles,
    to_text,
)


def test_only_what_both_images_ignore_is_ignored() -> None:
    clock = Rectangle(10, 10, 20, 10)
    grown = Rectangle(10, 10, 30, 5)
    assert find_ignored((clock,), (grown,)) == (Rectangle(10, 10, 20, 5),)
    assert find_ignored((clock,), ()) == find_ignored((), (clock,)) == ()
    # Next to each other is not on top of each other.
    assert find_ignored((clock,), (Rectangle(30, 10, 5, 5), Rectangle(10, 20, 5, 5))) == ()


def test_of_too_many_regions_the_smallest_are_compared() -> None:
    rows = tuple(Rectangle(0, 3 * row, 300, 2 + row % 2) for row in range(20))
    columns = tuple(Rectangle(10 * column, 0, 5, 60) for column in range(20))
    found = find_ignored(rows, columns)
    assert len(found) == MOST_REGIONS
    assert min(each.area for each in found) > 5


def test_regions_are_stored_in_one_order() -> None:
    one, other = Rectangle(0, 0, 1, 1), Rectangle(5, 0, 1, 1)
    assert to_text((one, other)) == to_text((other, one))
    assert to_rectangles(json.loads(to_text((other, one)))) == (one, other)


def test_fractions_are_of_the_area_that_is_compared() -> None:
    found = as_fractions([Rectangle(1, 2, 3, 4)], (10, 20))
    assert found == [{"x": 0.1, "y": 0.1, "width": 0.3, "height": 0.2}]
