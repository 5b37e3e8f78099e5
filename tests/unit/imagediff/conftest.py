from collections.abc import Iterator

import pytest

from tests.support.imagediff.engines import using_engine
from visual_review.imagediff.engine import NATIVE, NUMPY


# By module, because hypothesis refuses a new fixture for each test.
@pytest.fixture(scope="module", params=(NATIVE, NUMPY))
def each_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the tests of a module once with each engine."""
    with using_engine(request.param):
        yield request.param
