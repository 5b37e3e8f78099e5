"""The module graph from a bundler's stats file (of webpack, or of Vite in the same format)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Self

# Modules that a bundler generates have no file; they change with the configuration or with
# the modules they import.
GENERATED = re.compile(
    r"""
    ^/?virtual: | ^\0 | ^webpack/ | ^external[ ] | ^ignored[ ] | ^data: | ^\(webpack\)
    | \|(lazy|sync|eager|weak)\b
    | [ ](lazy|sync|eager|weak)[ ] | [ ](lazy|sync|eager|weak)$
    | ^\./iframe\.html$
    | ^(\./)?storybook-(config-entry|stories)\.js$
    | ^\./generated-stories-entry\.[cm]?js$
    | ^multi[ ]
    """,
    re.VERBOSE,
)
CONCATENATED = re.compile(r" \+ \d+ modules?$")


class ModuleGraph:
    """Which module imports which, by normalized name."""

    def __init__(self) -> None:
        self._imports: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def from_stats(cls, stats: Any) -> Self:  # noqa: ANN401 -- Raw JSON of any shape.
        """Read a stats file; parts with an unexpected format are skipped.

        A story that only such a part mentions is then missing, which the caller must check.
        """
        graph = cls()
        modules = stats.get("modules") if isinstance(stats, Mapping) else None
        for module in modules if isinstance(modules, list) else ():
            graph._add(module)
        return graph

    def _add(self, module: Any) -> str | None:  # noqa: ANN401 -- Raw JSON of any shape.
        if not isinstance(module, Mapping) or not isinstance(module.get("name"), str):
            return None
        name = normalize_name(module["name"])
        # A module without imports that no module imports is a node, too.
        self._imports[name] |= set()
        for reason in module.get("reasons") or ():
            importer = reason.get("moduleName") if isinstance(reason, Mapping) else None
            if isinstance(importer, str):
                self._imports[normalize_name(importer)].add(name)
        # Webpack concatenates modules; they are listed below the first one.
        for inner in module.get("modules") or ():
            concatenated = self._add(inner)
            if concatenated is not None:
                self._imports[name].add(concatenated)
        return name

    def __contains__(self, name: str) -> bool:
        return name in self._imports

    def names(self) -> frozenset[str]:
        return frozenset(self._imports)

    @staticmethod
    def is_generated(name: str) -> bool:
        return GENERATED.search(name) is not None

    def dependencies(self, name: str) -> frozenset[str]:
        """Return ``name`` and everything it imports, directly or indirectly."""
        return frozenset(self._traverse([name], frozenset()))

    def shared(self, entries: frozenset[str]) -> frozenset[str]:
        """Return what no entry (story file or docs page) imports, and all that this imports.

        Entries are not followed: the list of all stories imports every one of them.
        """
        reached = {name for entry in entries for name in self.dependencies(entry)}
        return frozenset(self._traverse([*self._imports.keys() - reached], entries))

    def _traverse(self, start: list[str], excluded: frozenset[str]) -> Iterator[str]:
        waiting, seen = list(start), set(start)
        while waiting:
            name = waiting.pop()
            yield name
            new = self._imports.get(name, set()) - seen - excluded
            seen |= new
            waiting += new


def normalize_name(name: str) -> str:
    """Return the file of a module, without loaders, query and module count."""
    # Queries distinguish generated modules; those of files only choose a loader.
    if GENERATED.search(name):
        return name
    name = CONCATENATED.sub("", name.rsplit("!", 1)[-1])
    if GENERATED.search(name):
        return name
    path = name.split("?", 1)[0]
    # Rspack has the same module with and without the dot.
    return path if path.startswith((".", "/")) else f"./{path}"
