"""Commands whose options are the fields of a dataclass."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Options = TypeVar("Options")


def make_command(options: type[Options], run: Callable[[Options], None]) -> Callable[..., None]:
    """Return ``run`` as Typer takes a command: with a parameter for each field of ``options``."""

    def command(**values: Any) -> None:  # noqa: ANN401 - Typer passes what the fields say.
        run(options(**values))

    command.__doc__ = run.__doc__
    # Typer reads the options from the signature.
    vars(command)["__signature__"] = inspect.signature(options)
    return command
