"""States are spelled in ``states.py`` alone, so that a misspelled one cannot go unnoticed."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.builds import states

SERVER: Final = Path(__file__).parents[2] / "src" / "visual_review"
COLUMNS: Final = frozenset({"diff_state", "review_state", "review_decision"})
SPELLED: Final = frozenset(
    {
        *states.DIFF_STATES,
        *states.PUBLISHED,
        states.APPROVED,
        states.REJECTED,
        states.UNREVIEWED,
        states.NOT_REQUIRED,
    }
)
# The client reads JSON of the server, with published states.
CLIENT: Final = ("client", "cli", "migrations")


def compared_strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield states compared with a state, or given for one, as strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and (node.arg or "").partition("__")[0] in COLUMNS:
            yield from strings_in(node.value)
        elif isinstance(node, ast.Compare) and getattr(node.left, "attr", "") in COLUMNS:
            yield from strings_in(node)


def strings_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in SPELLED:
            yield node.lineno, str(node.value)


def test_no_state_is_spelled_elsewhere() -> None:
    found = [
        f"{path.relative_to(SERVER)}:{line}: {text!r}"
        for path in sorted(SERVER.rglob("*.py"))
        if not set(CLIENT) & set(path.relative_to(SERVER).parts)
        for line, text in compared_strings(ast.parse(path.read_text()))
    ]
    assert found == []


def test_spelled_states_are_found() -> None:
    tree = ast.parse('rows.filter(diff_state__in=("new",))\nrow.review_state == "approved"\n')
    assert sorted(compared_strings(tree)) == [(1, "new"), (2, "approved")]
