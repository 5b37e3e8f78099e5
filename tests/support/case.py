"""The type of the fixture ``case``, by which a table is one test and each row is reported."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Case = Callable[[object], AbstractContextManager[None]]
