"""Finds words that this project does not use: in texts for people, and in names.

``python -m tests.support.architecture.words [FOLDER...]`` lists the words with file and line.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
SOURCE: Final = ROOT / "src" / "visual_review"
CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# In texts for people. Each has a replacement in docs/glossary.md.
TEXT: Final = re.compile(
    r"""\b(?:
      doors? | tell | tells | told | telling | news
    | source\ hosts? | pictures? | drawn | (?:re|un)?seal(?:s|ed|ing)? | blob\ guard
    | patience | eras? | refusals? | answers? | answered | answering | cut | cut\ off | tall(?:y|ies)
    | retarget(?:s|ed|ing)? | belongings | swept | strangers? | attack\ table | pretended
    | whole\ numbers? | mend(?:s|ed|ing)? | you\ are\ no | is\ none | are\ none | in\ vain | hence
    | beside | say(?=,) | nobody | whoever | whomever | somebody | lasts
    | go\ on\ only\ if | takes\ room | the\ former | offer\ names | moves?\ \d+ | (?:the|a|its|this)\ move
    | (?<!mail\ )(?<!IP\ )(?<!network\ )(?<!public\ )(?<!private\ )(?<!loopback\ )(?<!client\ )
      (?<!internet\ )(?<!IP\ )(?<!IPv4\ )(?<!IPv6\ )(?<!client's\ )(?<!proxy's\ )(?<!loopback\ )addresse?s?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# As a part of a name: snake_case, CamelCase or a module's.
NAMES: Final = frozenset(
    [
        "door",
        "doors",
        "tell",
        "tells",
        "told",
        "telling",
        "news",
        "words",
        "picture",
        "pictures",
        "pictured",
        "drawn",
        "seal",
        "sealed",
        "unseal",
        "reseal",
        "resealed",
        "patience",
        "era",
        "refusal",
        "refusals",
        "answer",
        "answers",
        "answered",
        "answering",
        "tally",
        "tallies",
        "retarget",
        "retargeted",
        "belongings",
        "going",
        "swept",
        "stranger",
        "walls",
        "pretended",
        "mend",
        "mended",
        "nobody",
        "whoever",
        "somebody",
        "standing",
        "standings",
        "wish",
        "said",
        "noted",
        "lasts",
        "troubles",
        "cut",
    ]
)


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    word: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word!r} in {self.text!r}"


def words_in_text(paths: Iterable[Path]) -> Iterator[Finding]:
    """The old words in templates, pages of documentation, and messages of modules."""
    for path in paths:
        for line, text in _texts(path):
            for match in TEXT.finditer(text):
                yield Finding(_shown(path), line, match.group(), text.strip()[:110])


def words_in_names(paths: Iterable[Path]) -> Iterator[Finding]:
    """The old words in names defined by modules, module names included."""
    for path in paths:
        for line, name in _names(path):
            for part in CAMEL.sub("_", name).lower().split("_"):
                if part in NAMES:
                    yield Finding(_shown(path), line, part, name)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    if path.suffix != ".py":
        yield from enumerate(_prose(path.read_text()).splitlines(), 1)
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def _prose(text: str) -> str:
    """``text`` without code, which has names of its own: only the line breaks of code remain."""
    code = re.compile(r"```.*?```|`[^`\n]*`|\{[%#{].*?[%#}]\}|<[a-zA-Z/!][^>]*>", re.DOTALL)
    return code.sub(lambda found: "\n" * found.group().count("\n"), text)


def _names(path: Path) -> Iterator[tuple[int, str]]:
    yield 1, path.stem
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def sources(folder: Path = SOURCE) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "migrations" not in path.parts)


def pages(folder: Path = ROOT) -> list[Path]:
    """Texts for people outside of the program: documentation, and the templates of pages."""
    return [
        *sorted((folder / "docs").rglob("*.md")),
        *(folder / name for name in ("README.md", "CONTRIBUTING.md")),
        *sorted((SOURCE / "web" / "templates").rglob("*.*")),
    ]


def main(folders: list[str]) -> None:
    chosen = [Path(folder).resolve() for folder in folders] or [ROOT]
    found = [*words_in_text([*pages(), *sources()]), *words_in_names(sources())]
    for finding in found:
        if any((ROOT / finding.path).is_relative_to(folder) for folder in chosen):
            sys.stdout.write(f"{finding}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
