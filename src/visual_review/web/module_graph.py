"""Which ES modules a module imports, directly or through others; pure."""

import posixpath
import re
from collections.abc import Mapping
from typing import Final

# ``import x from "./y.js"``, ``import "./y.js"`` and ``export { x } from "./y.js"`` at the start of
# a line. Dynamic imports and the types of JSDoc have a parenthesis, and are not needed at once.
IMPORT: Final = re.compile(
    r"""^(?:import\s*(?:[\w\s{},*$]+?\sfrom\s*)?|export\s*[\w\s{},*$]+?\sfrom\s*)(["'])(\.[^"']+)\1""",
    re.MULTILINE,
)
COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


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
