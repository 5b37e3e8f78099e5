"""The code rules that a program can check, each as a function from a source to its violations.

The functions take text or a syntax tree, so that the tests can show each failing on a bad snippet.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

FUNCTION = re.compile(
    r'^(?P<indent> *)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe|extern(?: "\w+")?) )*'
    r"fn (?P<name>\w+)"
)


def long_rust_functions(source: str) -> list[str]:
    """Return functions over the limit: rustfmt indents the closing brace as the first line."""
    lines = source.splitlines()
    found = []
    for index, line in enumerate(lines):
        if match := FUNCTION.match(line):
            length = _length(lines[index:], match["indent"])
            if length > MAX_FUNCTION_LINES:
                found.append(
                    f"line {index + 1}: {match['name']} has {length} lines, "
                    f"{MAX_FUNCTION_LINES} allowed"
                )
    return found


def _length(lines: list[str], indent: str) -> int:
    # A declaration without a body, or a body on the same line, ends at once.
    if lines[0].endswith((";", "}")):
        return 1
    return next((number for number, line in enumerate(lines, 1) if line == f"{indent}}}"), 1)


MAX_FUNCTION_LINES = 50
VAGUE_NAMES = frozenset({"util", "utils", "helper", "helpers", "misc", "common"})
BROAD = frozenset({"Exception", "BaseException", "BaseExceptionGroup", "ExceptionGroup"})
# Comments for tools are not for readers.
TOOL_COMMENT = re.compile(r"#\s*(noqa|type:|pragma|!)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_long_file(source: str, limit: int) -> list[str]:
    count = len(source.splitlines())
    return [f"{count} lines, {limit} allowed"] if count > limit else []


class Syntax:
    """The syntax tree of a source, parsed once for all checks."""

    def __init__(self, source: str) -> None:
        self.nodes = list(ast.walk(ast.parse(source)))
        self.functions: list[Function] = [
            node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]


def long_functions(syntax: Syntax) -> list[str]:
    return [
        f"line {node.lineno}: {node.name} has {length} lines, {MAX_FUNCTION_LINES} allowed"
        for node in syntax.functions
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]


def hidden_imports(syntax: Syntax) -> list[str]:
    """Return imports inside functions; such imports hide cycles or dependencies."""
    lines = {
        node.lineno
        for node in syntax.nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any(
            function.lineno <= node.lineno <= (function.end_lineno or 0)
            for function in syntax.functions
        )
    }
    return [f"line {line}: import inside a function" for line in sorted(lines)]


def find_vague_names(path: PurePosixPath) -> list[str]:
    names = {path.stem, *path.parent.parts}
    return [f"{name} does not say what is inside" for name in sorted(names & VAGUE_NAMES)]


def is_broad(node: ast.expr | None) -> bool:
    if node is None:
        return True
    if isinstance(node, ast.Tuple):
        return any(is_broad(part) for part in node.elts)
    return isinstance(node, ast.Name) and node.id in BROAD


def ends_raising(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)


def is_broad_suppress(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not any(is_broad(part) for part in node.args):
        return False
    return ast.unparse(node.func).rpartition(".")[2] == "suppress"


def broad_catches(syntax: Syntax) -> list[str]:
    """Return handlers that swallow every error; cleaning up and raising is allowed."""
    return [
        f"line {node.lineno}: catches everything"
        for node in syntax.nodes
        if is_broad_suppress(node)
        or (isinstance(node, ast.ExceptHandler) and is_broad(node.type) and not ends_raising(node))
    ]


SYNTAX_CHECKS: Mapping[str, Callable[[Syntax], list[str]]] = {
    check.__name__: check for check in (long_functions, hidden_imports, broad_catches)
}


def comment_share(sources: list[str]) -> float:
    """Return the share of lines with a comment for readers among all non-blank lines."""
    comments = sum(len(comment_lines(source)) for source in sources)
    lines = sum(1 for source in sources for line in source.splitlines() if line.strip())
    return comments / lines if lines else 0.0


def comment_lines(source: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and not TOOL_COMMENT.match(token.string)
    }
