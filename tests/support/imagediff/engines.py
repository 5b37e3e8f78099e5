"""Run tests with each comparison engine."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from scripts.native_library import find_cargo

from visual_review.imagediff.engine import (
    NATIVE,
    VARIABLE,
    engine,
    native_engine,
    native_problem,
    numpy_engine,
)
from visual_review.imagediff.port import Engine


@contextmanager
def using_engine(name: str) -> Iterator[None]:
    """Let this process, and all processes started by it, compare by the named engine."""
    if name == NATIVE:
        require_native_engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, name)
        engine.cache_clear()
        yield
    engine.cache_clear()


def available_engines() -> list[Engine]:
    """Return both engines, or the one in numpy where the native one cannot be used."""
    return [numpy_engine()] if native_problem() else [native_engine(), numpy_engine()]


def require_native_engine() -> None:
    """Skip the calling test where the native engine cannot be built, fail where it can."""
    problem = native_problem()
    if problem is None:
        return
    if find_cargo() is None:
        pytest.skip(f"{problem}, and there is no Rust to build it")
    pytest.fail(f"{problem}, although Rust is installed; build it with: make setup")
