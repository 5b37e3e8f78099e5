"""A command that parses the usual arguments without Typer's imports for conversions.

Typer converts each argument by Pydantic, whose import takes longer than comparing two images.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import get_annotations, unwrap
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, get_args, get_origin

from typer.core import TyperCommand

# Python accepts more number formats than Typer; other formats are left to Typer.
_PLAIN_NUMBER: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")


class UnusualArgumentsError(Exception):
    """The arguments are left to Typer: a request for help, or a mistake."""


def _convert_number(kind: type[int] | type[float]) -> Callable[[str], int | float]:
    def convert(text: str) -> int | float:
        if _PLAIN_NUMBER.fullmatch(text) is None:
            raise UnusualArgumentsError
        return kind(text)

    return convert


# Conversions with the same result as Typer's for every accepted text.
_CONVERSIONS: Final[dict[object, Callable[[str], Any]]] = {
    Path: Path,
    str: str,
    int: _convert_number(int),
    float: _convert_number(float),
}


class QuickCommand(TyperCommand):
    """Parses arguments by the same declarations as Typer, and leaves unusual ones to Typer."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's own context has no public name.
        # Completion, and parsing without errors, are left to Typer as well.
        if not ctx.resilient_parsing:
            with suppress(UnusualArgumentsError):
                ctx.params = _Arguments(self).parse(args)
                ctx.args = []
                return []
        return super().parse_args(ctx, args)


class _Arguments:
    def __init__(self, command: TyperCommand) -> None:
        self._types = _parameter_types(command)
        self._options = {name: each for each in command.params for name in each.opts}
        self._negations = {name: each for each in command.params for name in each.secondary_opts}
        self._positional = [each for each in command.params if each.param_type_name == "argument"]
        self._values: dict[str, Any] = {
            each.name: () if each.multiple else each.default
            for each in command.params
            if each.name is not None
        }

    def parse(self, args: Sequence[str]) -> dict[str, Any]:
        """Return the values by parameter. Raises UnusualArgumentsError."""
        waiting, positional = list(reversed(args)), []
        while waiting:
            text = waiting.pop()
            if not text.startswith("-"):
                positional.append(text)
            else:
                self._take_option(text, waiting)
        if len(positional) != len(self._positional):
            raise UnusualArgumentsError
        for parameter, text in zip(self._positional, positional, strict=True):
            self._values[parameter.name] = self._convert(parameter, text)
        return self._values

    def _take_option(self, text: str, waiting: list[str]) -> None:
        name, equals, value = text.partition("=")
        parameter = self._options.get(name) or self._negations.get(name)
        if parameter is None or not name.startswith("--"):
            raise UnusualArgumentsError
        if getattr(parameter, "is_flag", False):
            if equals:
                raise UnusualArgumentsError
            self._values[parameter.name] = name not in self._negations
            return
        if not equals:
            # A value that looks like an option may be a mistake.
            if not waiting or waiting[-1].startswith("-"):
                raise UnusualArgumentsError
            value = waiting.pop()
        converted = self._convert(parameter, value)
        if parameter.multiple:
            converted = [*self._values[parameter.name], converted]
        self._values[parameter.name] = converted

    def _convert(self, parameter: Any, text: str) -> Any:  # noqa: ANN401 - As declared.
        convert = self._types.get(parameter.name)
        try:
            if convert is None:
                raise UnusualArgumentsError
            value = convert(text)
        except ValueError as error:
            raise UnusualArgumentsError from error
        least, most = (getattr(parameter, end, None) for end in ("min", "max"))
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            raise UnusualArgumentsError
        return value


def _parameter_types(command: TyperCommand) -> dict[str, Callable[[str], Any]]:
    # Typer wraps the function that declares the parameters.
    annotations = get_annotations(unwrap(command.callback)) if command.callback else {}
    found = {name: _conversion(annotation) for name, annotation in annotations.items()}
    return {name: convert for name, convert in found.items() if convert is not None}


def _conversion(annotation: object) -> Callable[[str], Any] | None:
    """Return the conversion of one value, for a type, a list of the type, or the type or None."""
    if get_origin(annotation) is Annotated:
        return _conversion(get_args(annotation)[0])
    if get_origin(annotation) in (list, UnionType):
        (kind,) = (each for each in get_args(annotation) if each is not NoneType)
        return _conversion(kind)
    return _CONVERSIONS.get(annotation)
