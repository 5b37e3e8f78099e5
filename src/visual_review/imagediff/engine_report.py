"""Which engine compares images on this machine, in words."""

from visual_review.imagediff.engine import NATIVE, VARIABLE, engine, native_problem


def describe_engine() -> str:
    """Return the engine's name, and why it is not the native one. Raises EngineError."""
    return describe(engine().name, native_problem())


def describe(name: str, problem: str | None) -> str:
    if name == NATIVE:
        return name
    return f"{name}, with the same results but several times slower: " + (
        problem or f"{VARIABLE} chooses it"
    )
