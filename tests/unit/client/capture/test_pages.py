"""How many pages are open at once."""

import pytest

from visual_review.client.capture.results import pages_for


@pytest.mark.parametrize(("cores", "pages"), [(1, 2), (2, 3), (3, 5), (4, 6), (64, 96)])
def test_a_core_has_a_page_and_half_of_another(cores: int, pages: int) -> None:
    assert pages_for(cores) == pages
