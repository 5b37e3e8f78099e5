"""Finds the files that a text mentions by path.

Module graphs have gaps: what styles include, the modules of workers, what compilers evaluate,
CommonJS modules behind a proxy. So what a file mentions counts as well. A mention that imports
nothing costs a needless capture; a missed one would hide a change.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.capture.sources.project import CODE, PACKAGES, STYLES

# All repetitions have a limit, so that no text takes long to search.
QUOTED: Final = re.compile(r"""["'`](\.{1,2}/[^"'`\s]{1,300}|[@~]/[^"'`\s]{1,300})["'`]""")
IMPORTED: Final = re.compile(
    r"""(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s{0,20}\(?\s{0,20}["'`]([^"'`\s]{1,300})["'`]"""
)
STYLE_RULE: Final = re.compile(
    r"@(?:import|use|forward|reference|plugin|config|require|value)\b[^;{}]{1,600}|\bfrom\s{1,20}[\"'][^\"']{1,300}"
)
STYLE_URL: Final = re.compile(r"""(?:url|uri|inline)\(\s{0,20}["']?([^"')\s]{1,300})""")
STYLE_STRING: Final = re.compile(r"""["']([^"'\n]{1,300})["']?""")
LARGEST: Final = 4 << 20
SUFFIXES: Final = (
    *(".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json"),
    *(".css", ".scss", ".sass", ".less", ".styl", ".pcss"),
)
# TypeScript names the file that it will write.
WRITTEN_AS: Final = {
    ".js": (".ts", ".tsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
ALIASED: Final = ("@/", "~/")
READABLE: Final = CODE | STYLES | {".html", ".json"}
STYLED: Final = STYLES | {".astro", ".html", ".svelte", ".vue"}
EXTERNAL: Final = ("http:", "https:", "data:", "//", "#")


class References:
    """Finds what files mention; each file is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._mentions: dict[Path, frozenset[Path]] = {}
        self._imports: dict[Path, frozenset[Path]] = {}
        self._resolved: dict[Path, Path | None] = {}

    def mentions(self, path: Path) -> frozenset[Path]:
        """Return the existing files that ``path`` names, relative to itself or by an alias."""
        if path not in self._mentions:
            self._read(path)
        return self._mentions[path]

    def imports(self, path: Path) -> frozenset[Path]:
        """Return the part of ``mentions`` that is the object of an import."""
        if path not in self._imports:
            self._read(path)
        return self._imports[path]

    def _read(self, path: Path) -> None:
        suffix = path.suffix.lower()
        text = _read_text(path) if suffix in READABLE else ""
        imported = [name for name in IMPORTED.findall(text) if name.startswith((".", *ALIASED))]
        names = [*QUOTED.findall(text), *imported]
        if suffix in STYLED:
            names += _style_specifiers(text)
        self._imports[path] = frozenset(self._resolve_all(imported, path)) - {path}
        self._mentions[path] = frozenset(self._resolve_all(names, path)) - {path}

    def _resolve_all(self, names: list[str], path: Path) -> Iterator[Path]:
        for name in set(names):
            plain = re.split(r"[?#]", name, maxsplit=1)[0]
            if plain and not name.startswith(EXTERNAL):
                found = self._resolve(plain, path.parent)
                if found is not None:
                    yield found

    def _resolve(self, name: str, folder: Path) -> Path | None:
        if name.startswith(ALIASED):
            bases: tuple[Path, ...] = (self._root / "src" / name[2:], self._root / name[2:])
        elif name.startswith("/"):
            bases = (self._root / name[1:], self._root / "public" / name[1:])
        else:
            bases = (folder / name,)
        found = next(filter(None, map(self._existing_file, bases)), None)
        is_bare = not name.startswith((".", "/", *ALIASED))
        return self._linked_package(name, folder) if found is None and is_bare else found

    def _linked_package(self, name: str, folder: Path) -> Path | None:
        """Return a file of a package of the same workspace, which no lock file pins."""
        for parent in (folder, *folder.parents):
            if not (parent / PACKAGES).is_dir():
                continue
            found = self._existing_file(parent / PACKAGES / name.removeprefix("~"))
            if found is not None:
                real = found.resolve()
                return None if PACKAGES in real.parts else real
        return None

    def _existing_file(self, base: Path) -> Path | None:
        base = Path(os.path.normpath(base))
        if base not in self._resolved:
            self._resolved[base] = next(filter(_is_file, _candidates(base)), None)
        return self._resolved[base]


def _read_text(path: Path) -> str:
    if path.stat().st_size > LARGEST:
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


def _style_specifiers(text: str) -> Iterator[str]:
    for rule in STYLE_RULE.findall(text):
        yield from STYLE_STRING.findall(rule)
    yield from STYLE_URL.findall(text)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A quoted text that is too long to be a name.
        return False


def _candidates(base: Path) -> Iterator[Path]:
    yield base
    if not base.name:
        return
    for suffix in SUFFIXES:
        yield base.with_name(f"{base.name}{suffix}")
    for suffix in WRITTEN_AS.get(base.suffix, ()):
        yield base.with_suffix(suffix)
    for suffix in (".scss", ".sass", ""):
        yield base.with_name(f"_{base.name}{suffix}")
    for suffix in SUFFIXES:
        yield base / f"index{suffix}"
    yield base / "_index.scss"
