"""Joins a module and all its imports into one file; pure.

A browser opens six connections to a host: a hundred small modules take seconds on a connection with
some latency. The files are joined unchanged, in the order of execution, each in a function
returning the exports of the module.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

# ``import x from "./y.js"``, ``import "./y.js"`` and ``export { x } from "./y.js"`` at the start of
# a line. Dynamic imports and the types of JSDoc have a parenthesis, and are not needed at once.
IMPORT: Final = re.compile(
    r"""^(?:import\s*(?:[\w\s{},*$]+?\sfrom\s*)?|export\s*[\w\s{},*$]+?\sfrom\s*)(["'])(\.[^"']+)\1""",
    re.MULTILINE,
)
COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
SUFFIX: Final = ".bundle.js"
_FROM: Final = r"\s*from\s*[\"'](\.[^\"']+)[\"'];?"
IMPORTED: Final = re.compile(r"^import\s*\{([^}]*)\}" + _FROM, re.MULTILINE)
BARE: Final = re.compile(r"^import\s*[\"'](\.[^\"']+)[\"'];?", re.MULTILINE)
PASSED_ON: Final = re.compile(r"^export\s*\{([^}]*)\}" + _FROM, re.MULTILINE)
LISTED: Final = re.compile(r"^export\s*\{([^}]*)\};?", re.MULTILINE)
DECLARED: Final = re.compile(
    r"^export\s+((?:async\s+function|function|class|const)\s+([\w$]+))", re.MULTILINE
)
# Unsupported code: another form of export or import, and anything dependent on the file's own URL.
OTHER: Final = re.compile(r"^(?:import|export)\b|\bimport\s*[.(]", re.MULTILINE)


def imports_of(name: str, source: str) -> list[str]:
    """Return the names of the modules imported by the module ``name``, in their order."""
    return [resolve_import(name, path) for _, path in IMPORT.findall(COMMENT.sub("", source))]


def resolve_import(name: str, path: str) -> str:
    """Return the name of the module at ``path``, as seen from the module ``name``."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def modules_needed_by(entry: str, sources: Mapping[str, str]) -> list[str]:
    """Return ``entry`` and all modules it needs, with dependencies before their dependents.

    An import of a missing module is left out.
    """
    found: dict[str, None] = {entry: None}
    waiting = [entry]
    while waiting:
        name = waiting.pop(0)
        for imported in imports_of(name, sources[name]):
            if imported in sources and imported not in found:
                found[imported] = None
                waiting.append(imported)
    return list(found)


class BundleError(Exception):
    """The modules cannot be joined, but work one by one."""


def bundle_name(entry: str) -> str:
    """Return the name of the file with the module ``entry`` and all its imports."""
    return entry.removesuffix(".js") + SUFFIX


def bundle_modules(entry: str, sources: Mapping[str, str]) -> str:
    """Return ``entry`` with all imported modules. Raises BundleError."""
    order = evaluation_order(entry, sources)
    numbers = {name: f"$module{number}" for number, name in enumerate(order)}
    parts = [_wrap(name, sources[name], numbers) for name in order]
    return "\n".join(parts) + "\n"


def evaluation_order(entry: str, sources: Mapping[str, str]) -> list[str]:
    """Return the modules in their order of execution. Raises BundleError."""
    done: dict[str, None] = {}

    def add(name: str, importers: tuple[str, ...]) -> None:
        if name in importers or name not in sources:
            raise BundleError(f"{importers[-1]} imports {name}, which imports it or is missing.")
        if name not in done:
            for imported in imports_of(name, sources[name]):
                add(imported, (*importers, name))
            done[name] = None

    add(entry, ())
    return list(done)


def _wrap(name: str, source: str, numbers: Mapping[str, str]) -> str:
    exports: list[str] = []

    def module_of(path: str) -> str:
        return numbers[resolve_import(name, path)]

    def take(found: re.Match[str]) -> str:
        names = [f"{theirs}: {ours}" for theirs, ours in _pairs(found[1])]
        return f"const {{ {', '.join(names)} }} = {module_of(found[2])};"

    def pass_on(found: re.Match[str]) -> str:
        module = module_of(found[2])
        exports.extend(f"{ours}: {module}.{theirs}" for theirs, ours in _pairs(found[1]))
        return ""

    def list_exports(found: re.Match[str]) -> str:
        exports.extend(f"{theirs}: {ours}" for ours, theirs in _pairs(found[1]))
        return ""

    def declare(found: re.Match[str]) -> str:
        exports.append(found[2])
        return found[1]

    steps: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        (IMPORTED, take),
        (BARE, lambda _: ""),
        (PASSED_ON, pass_on),
        (LISTED, list_exports),
        (DECLARED, declare),
    ]
    body = source
    for pattern, replace in steps:
        body = pattern.sub(replace, body)
    if OTHER.search(COMMENT.sub("", body)):
        raise BundleError(f"{name} has an import or export of a form that cannot be joined.")
    result = f"return {{ {', '.join(exports)} }};"
    return f"// {name}\nconst {numbers[name]} = (() => {{\n{body}\n{result}\n}})();"


def _pairs(names: str) -> list[tuple[str, str]]:
    """Return ``[("a", "a"), ("b", "c")]`` for ``a, b as c``."""
    found = []
    for each in names.split(","):
        first, _, second = each.strip().partition(" as ")
        if first:
            found.append((first.strip(), (second or first).strip()))
    return found
