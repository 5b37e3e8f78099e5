"""The length of functions in Rust, as rustfmt lays them out."""

import re

from tests.support.architecture.limits import MAX_FUNCTION_LINES

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
