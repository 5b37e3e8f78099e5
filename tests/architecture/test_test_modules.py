"""Test modules import helpers, never each other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def imported_tests(source: str) -> Iterator[str]:
    """Yield the imported test modules of a module, imported as a whole or in part."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        else:
            continue
        parts = (name.split(".") for name in names if name.startswith("tests."))
        yield from (".".join(each) for each in parts if each[-1].startswith("test_"))


def test_no_test_module_imports_another() -> None:
    found = [
        f"{path.relative_to(TESTS)} imports {module}"
        for path in sorted(TESTS.rglob("*.py"))
        if "node_modules" not in path.parts
        for module in imported_tests(path.read_text())
    ]
    assert not found, found


def test_helpers_are_in_one_package() -> None:
    known = ("test_", "conftest", "__init__")
    found = [
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("*.py"))
        if not path.name.startswith(known)
        and not {"support", "node_modules", "oracle"} & set(path.parts)
    ]
    assert not found, found


@pytest.mark.parametrize(
    "line", ["from tests.api.test_rest import x", "from tests.api import test_rest"]
)
def test_such_an_import_is_found(line: str) -> None:
    assert list(imported_tests(f"{line}\nfrom tests.support.pages import y\n")) == [
        "tests.api.test_rest"
    ]
