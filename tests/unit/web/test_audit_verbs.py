"""The audit page can filter by every verb written by the service."""

import ast
from collections.abc import Iterator
from pathlib import Path

import visual_review
from visual_review.web.views.audit import VERBS

SOURCES = Path(visual_review.__file__).parent


def find_verbs(tree: ast.Module) -> Iterator[str]:
    """Yield the verbs of a module's changes, as far as the module contains them literally."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            verbs = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "verb")]
            for verb in verbs if node.func.id == "Change" else ():
                if isinstance(verb, ast.Constant):
                    yield str(verb.value)
                elif isinstance(verb, ast.Name) and verb.id in constants:
                    yield str(constants[verb.id])


def test_verbs_are_found_as_constants_and_literals() -> None:
    source = 'VERB: Final = "a.one"\nChange(VERB, 1)\nChange("a.two", 2)\nChange(verb="a.three")'
    assert sorted(find_verbs(ast.parse(source))) == ["a.one", "a.three", "a.two"]


def test_every_written_verb_can_be_filtered() -> None:
    sources = (path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    # Parsing all the others would take a second; changes of images have the same name.
    written = (each for each in sources if "Change(" in each and "visual_review.audit" in each)
    found = {verb for source in written for verb in find_verbs(ast.parse(source))}
    assert {"recording.deleted", "build.retired"} <= found
    assert found - set(VERBS) == set()
