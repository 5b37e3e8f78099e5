"""The boundary of the comparison: the choice of the engine for the machine.

The native engine compares where its library can be loaded, and the one in numpy elsewhere. Both
have the same results; the environment variable ``VISUAL_REVIEW_IMAGE_ENGINE`` chooses one by name.
"""

import os
from functools import cache
from importlib import import_module
from typing import Final

from visual_review.imagediff.model import ENGINE_VERSION
from visual_review.imagediff.native.engine import NativeEngine
from visual_review.imagediff.native.library import LibraryError, load_library
from visual_review.imagediff.port import Engine

VARIABLE: Final = "VISUAL_REVIEW_IMAGE_ENGINE"
NATIVE: Final = "native"
NUMPY: Final = "numpy"
# Loaded by its name on demand, because importing numpy takes longer than a comparison.
NUMPY_MODULE: Final = "visual_review.imagediff.reference.engine"


class EngineError(Exception):
    """The environment names an engine missing on the machine."""


@cache
def engine() -> Engine:
    """Return the engine of the process. Raises EngineError for a setting that cannot be met."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", NATIVE, NUMPY):
        raise EngineError(f"{VARIABLE} is {wanted!r}; it must be {NATIVE}, {NUMPY} or not set")
    problem = native_problem()
    if wanted == NATIVE and problem is not None:
        raise EngineError(f"{VARIABLE} is {NATIVE}, but {problem}")
    if wanted == NUMPY or problem is not None:
        return numpy_engine()
    return native_engine()


@cache
def numpy_engine() -> Engine:
    found: Engine = import_module(NUMPY_MODULE).NumpyEngine()
    return found


def native_engine() -> Engine:
    """Return the native engine. Raises LibraryError where its library cannot be loaded."""
    return NativeEngine(load_library(), numpy_engine)


def native_problem() -> str | None:
    """Return why the native engine cannot be used on the machine, None if it can."""
    try:
        load_library()
    except LibraryError as error:
        return str(error)
    return None


def engine_key() -> str:
    """Return the part of a stored verdict's key for the engine: its name and version."""
    return f"{engine().name}-{ENGINE_VERSION}"


def describe_engine() -> str:
    """Return the engine's name, and why the native engine is not used. Raises EngineError."""
    return describe(engine().name, native_problem())


def describe(name: str, problem: str | None) -> str:
    if name == NATIVE:
        return name
    return f"{name}, with the same results but several times slower: " + (
        problem or f"{VARIABLE} chooses it"
    )
