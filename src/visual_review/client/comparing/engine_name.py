"""The name of the engine that compares."""


def engine_name() -> str:
    return "numpy"
