"""Count the words for which a reader has to look back: in comments, docstrings and documents.

``python -m scripts.pronouns`` prints how many of 100 words are pronouns, on average and in the
files with most, and fails above the averages of today. Lower a limit after rewording.
"""

import ast
import io
import os
import re
import sys
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from scripts.setup_steps import ROOT

PRONOUNS: Final = frozenset(
    ["it", "its", "that", "them", "these", "they", "this", "those", "what", "which"]
)
# Code has its own words, and the target of a link is not read.
NOT_PROSE: Final = re.compile(r"```.*?```|`+[^`]*`+|\]\([^)]*\)|<[^>]*>", re.DOTALL)
WORD: Final = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
RUST_COMMENT: Final = re.compile(r"^\s*//[/!]?(.*)$", re.MULTILINE)
# Pronouns among 100 words, on average, and the files. A limit may only fall.
LIMITS: Final = (
    (2.3, ("src/**/*.py",)),
    (2.6, ("tests/**/*.py",)),
    (2.7, ("scripts/**/*.py",)),
    (2.2, ("benchmarks/**/*.py",)),
    (1.9, ("native/src/**/*.rs",)),
    (2.6, ("docs/**/*.md", "*.md", "packages/*/README.md", "examples/**/*.md")),
)
GENERATED: Final = frozenset(["migrations", "node_modules"])
SHOWN: Final = 3
# The share in a shorter text says little.
FEWEST_WORDS: Final = 100


class Count(NamedTuple):
    pronouns: int
    words: int

    @property
    def percent(self) -> float:
        return 100 * self.pronouns / max(1, self.words)


def count(text: str) -> Count:
    words = [word.lower() for word in WORD.findall(NOT_PROSE.sub(" ", text))]
    return Count(sum(word in PRONOUNS for word in words), len(words))


def read_comments(source: str) -> str:
    """Return the comments and docstrings of a module."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, DOCUMENTED))
    return "\n".join([*comments, *(ast.get_docstring(node) or "" for node in nodes)])


def read_prose(path: Path) -> str:
    """Return the comments of a program, or the whole text of a document."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        return "\n".join(RUST_COMMENT.findall(text))
    return read_comments(text) if path.suffix == ".py" else text


def check(paths: Iterable[Path], most: float) -> bool:
    """Print the average, and the files with most pronouns; return whether the average is allowed."""
    counts = {path: count(read_prose(path)) for path in paths}
    average = Count(*map(sum, zip(*counts.values(), strict=True)))
    print(f"{average.percent:.2f} of 100 words are pronouns, at most {most} may be. Most have:")
    long = [path for path, each in counts.items() if each.words >= FEWEST_WORDS]
    for path in sorted(long, key=lambda path: -counts[path].percent)[:SHOWN]:
        print(f"  {counts[path].percent:5.2f}  {os.path.relpath(path, ROOT)}")
    return average.percent <= most


def main() -> int:
    """Return the exit code."""
    allowed = []
    for most, patterns in LIMITS:
        paths = (path for pattern in patterns for path in ROOT.glob(pattern))
        print(f"{', '.join(patterns)}:")
        allowed.append(check((each for each in paths if GENERATED.isdisjoint(each.parts)), most))
    return 0 if all(allowed) else 1


if __name__ == "__main__":
    sys.exit(main())
