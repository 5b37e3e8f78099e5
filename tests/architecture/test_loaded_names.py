"""Everything loaded by name must exist: the server's half."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from tests.support.case import Case

PACKAGE: Final = Path(__file__).parents[2] / "src" / "visual_review"
COMMANDS: Final = PACKAGE / "cli"
PREFIX: Final = "visual_review."


def loaded_names() -> Iterator[str]:
    for path in sorted(COMMANDS.rglob("*.py")):
        tree = ast.parse(path.read_text())
        constants = {
            node.targets[0].id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
                yield _evaluated(node.args[0], constants)


def _evaluated(name: ast.expr, constants: dict[str, object]) -> str:
    code = compile(ast.Expression(name), "name", "eval")
    return str(eval(code, dict(constants)))  # noqa: S307 - An expression of our own source.


def test_every_loaded_name_exists(case: Case) -> None:
    names = sorted(set(loaded_names()))
    assert len(names) > 10
    for name in names:
        with case(name):
            module, _, attribute = name.rpartition(".")
            assert module.startswith(PREFIX)
            assert callable(getattr(import_module(module), attribute))
