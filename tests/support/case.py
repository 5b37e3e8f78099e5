"""The type of the fixture ``case`` for reporting each row of a table within one test."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Case = Callable[[object], AbstractContextManager[None]]
