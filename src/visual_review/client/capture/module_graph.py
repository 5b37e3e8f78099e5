"""The graph of modules out of a bundler's statistics (webpack's, and Vite's in their shape)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Self

# What a bundler writes itself has no file; it changes with the configuration or with its modules.
GENERATED = re.compile(
    r"""
    ^/?virtual: | ^\0 | ^webpack/ | ^external[ ] | ^ignored[ ] | ^data: | ^\(webpack\)
    | [ ](lazy|sync|eager|weak)[ ] | [ ](lazy|sync|eager|weak)$
    | ^\./iframe\.html$
    | ^\./storybook-(config-entry|stories)\.js$
    | ^\./generated-stories-entry\.[cm]?js$
    | ^multi[ ]
    """,
    re.VERBOSE,
)
CONCATENATED = re.compile(r" \+ \d+ modules?$")


class ModuleGraph:
    """Who imports whom, by normalized name; every imported or importing name is a node."""

    def __init__(self) -> None:
        self._imports: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def of(cls, stats: Any) -> Self:  # noqa: ANN401 -- Raw JSON of any shape.
        """Read statistics; parts of another shape than expected are left out.

        A story that only such a part mentions is then absent, which the caller has to refuse.
        """
        graph = cls()
        modules = stats.get("modules") if isinstance(stats, Mapping) else None
        for module in modules if isinstance(modules, list) else ():
            graph._add(module)
        return graph

    def _add(self, module: Any) -> str | None:  # noqa: ANN401 -- Raw JSON of any shape.
        if not isinstance(module, Mapping) or not isinstance(module.get("name"), str):
            return None
        name = normalized(module["name"])
        # A module that imports nothing and that nobody imports is a node all the same.
        self._imports[name] |= set()
        for reason in module.get("reasons") or ():
            importer = reason.get("moduleName") if isinstance(reason, Mapping) else None
            if isinstance(importer, str):
                self._imports[normalized(importer)].add(name)
        # Webpack joins modules; the joined ones are listed below the one that led.
        for inner in module.get("modules") or ():
            joined = self._add(inner)
            if joined is not None:
                self._imports[name].add(joined)
        return name

    def __contains__(self, name: str) -> bool:
        return name in self._imports

    @staticmethod
    def is_generated(name: str) -> bool:
        return GENERATED.search(name) is not None

    def below(self, name: str) -> frozenset[str]:
        """``name`` and everything it imports, directly or not."""
        return frozenset(self._walk([name], frozenset()))

    def shared(self, entries: frozenset[str]) -> frozenset[str]:
        """What no entry (story file or docs page) reaches, and all that this imports.

        Entries themselves are not entered: the list of all stories imports every one of them.
        """
        reached = {name for entry in entries for name in self.below(entry)}
        return frozenset(self._walk([*self._imports.keys() - reached], entries))

    def _walk(self, start: list[str], closed: frozenset[str]) -> Iterator[str]:
        waiting, seen = list(start), set(start)
        while waiting:
            name = waiting.pop()
            yield name
            new = self._imports.get(name, set()) - seen - closed
            seen |= new
            waiting += new


def normalized(name: str) -> str:
    """The file of a module without loaders, queries and the count of joined modules."""
    name = CONCATENATED.sub("", name.rsplit("!", 1)[-1])
    # Queries of generated names tell them apart; those of files only pick a loader.
    return name if GENERATED.search(name) else name.split("?", 1)[0]
