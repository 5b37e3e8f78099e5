"""Finds the line of a key in a TOML file, for error messages."""

import re
from typing import Final

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
KEY: Final = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=")


def find_line(text: str, table: str, key: str, index: int = 0) -> int | None:
    """Return the line of ``key`` in ``table``, whose ``index``-th occurrence counts.

    None where the file writes it in a way that is rarely used, such as inside of an inline table.
    """
    current, seen = "", -1
    name = _join(table, key)
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            current = header[2]
            seen += current == table
            # A table is the value of a key of the one above it.
            if current == name:
                return number
        elif _is_key(line, current, name) and index == max(seen, 0):
            return number
    return None


def _join(table: str, key: str) -> str:
    return f"{table}.{key}".strip(".")


def _is_key(line: str, table: str, name: str) -> bool:
    found = KEY.match(line)
    return found is not None and _join(table, found[1]) == name
