"""Check the whole project against the code rules, and each check against a bad snippet."""

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.support.architecture.limits import (
    SYNTAX_CHECKS,
    Syntax,
    broad_catches,
    comment_share,
    find_long_file,
    find_vague_names,
    hidden_imports,
    long_functions,
    long_rust_functions,
)

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "visual_review"
MAX_LINES = 800
MAX_TEST_LINES = 800
COMMENT_SHARE = (0.03, 0.07)
WEB_SUFFIXES = {".css", ".html", ".js", ".mjs"}
# Migrations are generated; the rest is installed or built.
GENERATED = {"migrations", "node_modules", ".states", "target", "__pycache__"}

# Each entry is a path with the reason; an unneeded entry fails.
MAY_HIDE_IMPORTS: dict[str, str] = {}
MAY_CATCH_EVERYTHING = {
    "src/visual_review/api/errors.py": "An endpoint always responds.",
    "src/visual_review/api/mcp/tool_calls.py": "A call ends in a result the model can read.",
    "src/visual_review/api/mcp/endpoint.py": "An endpoint always responds.",
    "src/visual_review/jobs/builds/process_build.py": "Whatever goes wrong, the build has to end.",
    "src/visual_review/jobs/recordings/process_recording.py": "As above, for the recording.",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def files_of(folder: str) -> list[Path]:
    found = []
    for current, folders, files in os.walk(ROOT / folder):
        folders[:] = [
            name
            for name in folders
            if name not in GENERATED and not name.startswith("storybook-static")
        ]
        found += [Path(current, name) for name in files]
    return sorted(found)


def written(*folders: str, suffixes: set[str]) -> list[Path]:
    return [path for folder in folders for path in files_of(folder) if path.suffix in suffixes]


def python_files() -> list[Path]:
    return written("src", "tests", "scripts", "benchmarks", suffixes={".py"})


@cache
def syntax_breaches(path: Path) -> dict[str, list[str]]:
    """Return the findings of every syntax check in a file, parsed once for all checks."""
    syntax = Syntax(path.read_text())
    return {name: check(syntax) for name, check in SYNTAX_CHECKS.items()}


def breaches(
    files: Iterable[Path],
    check: Callable[[Path], list[str]],
    allowed: dict[str, str] | None = None,
) -> list[str]:
    """Return the findings of the check, plus the unneeded entries of `allowed`."""
    unused = set(allowed or ())
    found = []
    for path in files:
        lines = check(path)
        if lines and relative(path) in unused:
            unused.remove(relative(path))
        else:
            found += [f"{relative(path)}: {line}" for line in lines]
    return found + [f"{path}: the exception is no longer needed" for path in sorted(unused)]


def lines_above(limit: int) -> Callable[[Path], list[str]]:
    return lambda path: find_long_file(path.read_text(), limit)


def assert_none(found: list[str]) -> None:
    assert not found, "\n" + "\n".join(found)


def test_files_of_the_project_are_short() -> None:
    files = written("src", "scripts", "benchmarks", suffixes={".py"} | WEB_SUFFIXES)
    assert_none(breaches(files, lines_above(MAX_LINES)))


def test_files_of_the_example_are_short() -> None:
    files = written("examples", suffixes={".py"} | WEB_SUFFIXES)
    assert_none(breaches(files, lines_above(MAX_LINES)))


def test_test_files_are_short() -> None:
    files = written("tests", suffixes={".py"})
    assert_none(breaches(files, lines_above(MAX_TEST_LINES)))


def test_functions_are_short() -> None:
    assert_none(breaches(python_files(), lambda path: syntax_breaches(path)["long_functions"]))


def test_rust_files_and_their_functions_are_short() -> None:
    files = written("native", suffixes={".rs"})
    assert_none(breaches(files, lines_above(MAX_LINES)))
    assert_none(breaches(files, lambda path: long_rust_functions(path.read_text())))


def test_imports_are_at_the_top() -> None:
    def hidden(path: Path) -> list[str]:
        return syntax_breaches(path)["hidden_imports"]

    assert_none(breaches(python_files(), hidden, MAY_HIDE_IMPORTS))


def test_only_endpoints_and_jobs_catch_every_error() -> None:
    files = written("src", "scripts", suffixes={".py"})

    def broad(path: Path) -> list[str]:
        return syntax_breaches(path)["broad_catches"]

    assert_none(breaches(files, broad, MAY_CATCH_EVERYTHING))


def test_names_of_modules_say_what_is_inside() -> None:
    paths = [relative(path) for path in python_files()]
    assert_none(
        [f"{path}: {line}" for path in paths for line in find_vague_names(PurePosixPath(path))]
    )


def test_comments_are_neither_missing_nor_noise() -> None:
    sources = [path.read_text() for path in written("src/visual_review", suffixes={".py"})]
    least, most = COMMENT_SHARE
    assert least <= comment_share(sources) <= most


def test_the_package_and_these_tests_are_checked() -> None:
    seen = set(python_files())
    assert PACKAGE / "cli" / "main.py" in seen
    assert Path(__file__) in seen


def test_a_file_over_the_limit_is_found() -> None:
    assert find_long_file("x = 1\n" * 5, limit=4) == ["5 lines, 4 allowed"]
    assert find_long_file("x = 1\n" * 4, limit=4) == []


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_a_function_over_the_limit_is_found(keyword: str) -> None:
    longest = f"{keyword} work():\n" + "    x = 1\n" * 49
    assert long_functions(Syntax(longest)) == []
    assert long_functions(Syntax(longest + "    x = 1\n")) == [
        "line 1: work has 51 lines, 50 allowed"
    ]


@pytest.mark.parametrize(
    "head", ["fn work()", "pub(crate) const unsafe fn work<T>()", 'pub unsafe extern "C" fn work()']
)
def test_a_rust_function_over_the_limit_is_found(head: str) -> None:
    body = "        if x {\n        }\n" * 24
    method = f"impl Work {{\n    {head} {{\n{body}    }}\n}}\n"
    assert long_rust_functions(method) == []
    longer = method.replace("    }\n}\n", "        x += 1;\n    }\n}\n")
    assert long_rust_functions(longer) == ["line 2: work has 51 lines, 50 allowed"]
    assert long_rust_functions("fn one() {}\nfn two();\n" + "x\n" * 60) == []


@pytest.mark.parametrize("line", ["import os", "from os import path", "if x:\n        import os"])
def test_an_import_inside_a_function_is_found(line: str) -> None:
    assert hidden_imports(Syntax(f"import sys\ndef work():\n    {line}\n")) != []
    assert hidden_imports(Syntax("import sys\nif sys:\n    import os\n")) == []


@pytest.mark.parametrize(
    "clause", ["", " Exception", " (OSError, BaseException)", " Exception as e"]
)
def test_a_handler_that_swallows_everything_is_found(clause: str) -> None:
    assert broad_catches(Syntax(f"try:\n    x()\nexcept{clause}:\n    pass\n")) == [
        "line 3: catches everything"
    ]


@pytest.mark.parametrize("call", ["suppress(Exception)", "contextlib.suppress(OSError, Exception)"])
def test_a_suppression_of_everything_is_found(call: str) -> None:
    assert broad_catches(Syntax(f"with {call}:\n    x()\n")) == ["line 1: catches everything"]


def test_handlers_that_are_narrow_or_raise_are_allowed() -> None:
    assert broad_catches(Syntax("try:\n    x()\nexcept OSError:\n    pass\n")) == []
    assert (
        broad_catches(Syntax("try:\n    x()\nexcept BaseException:\n    undo()\n    raise\n")) == []
    )
    assert broad_catches(Syntax("with suppress(OSError):\n    x()\n")) == []


def test_a_find_vague_names_is_found_in_a_file_and_in_a_folder() -> None:
    assert find_vague_names(PurePosixPath("src/visual_review/utils.py")) != []
    assert find_vague_names(PurePosixPath("src/visual_review/helpers/text.py")) != []
    assert find_vague_names(PurePosixPath("src/visual_review/kernel/ids.py")) == []


def test_the_comment_share_counts_what_is_meant_for_readers() -> None:
    source = "# Why.\nx = 1  # noqa: E1\n\ny = '# text'\nz = 2  # Because.\n"
    assert comment_share([source]) == pytest.approx(0.5)
    assert comment_share([""]) == 0.0


def test_an_exception_that_excuses_nothing_is_found() -> None:
    files = [PACKAGE / "__init__.py"]
    path = "src/visual_review/gone.py"
    assert breaches(files, lambda _path: [], {path: "It was needed."}) == [
        f"{path}: the exception is no longer needed"
    ]
