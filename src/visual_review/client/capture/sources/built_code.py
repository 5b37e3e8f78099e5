"""The built code of each story, as written by the bundler.

A build takes values from variables, configuration and packages, and no source of a story shows
these values. The code for the browser shows all of them. Parts that differ between builds of equal
sources are left out: names with a hash of the content, lists of all stories, and build values.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.git import run_git

COMMIT: Final = "the commit's hash"
TIME: Final = "the time of the build"
HASH: Final = re.compile(r"[0-9a-f]{40}")
# The usual forms of a commit: the whole hash, or at least its first seven characters.
SHORTEST: Final = 7
# Milliseconds or seconds since 1970, or RFC 3339, to the minute at least.
TIMES: Final = re.compile(
    r"\b(?:(?P<milliseconds>1\d{12})|(?P<seconds>1\d{9})|"
    r"(?P<written>20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?))\b"
)
# The longest time from a build to its capture; earlier times were written by a person.
LONGEST_AGE: Final = timedelta(days=1)
CODE: Final = frozenset({".cjs", ".css", ".js", ".mjs"})
# All repetitions have a limit, so that no text takes long to search.
QUOTE: Final = "[\"'`]"
# Vite's list of the files of all imports, and references to files by position in the list.
FILE_LIST: Final = re.compile(r"const __vite__mapDeps=.{0,100}?\[([^\]]*)\].{0,100}?=>d\[i\]\);?")
POSITIONS: Final = re.compile(r"__vite__mapDeps\(\[([\d,]*)\]\)")
QUOTED: Final = re.compile(rf"{QUOTE}([^\"'`]{{1,500}}){QUOTE}")
# An entry in Vite's list of story files: a path, the file to import, and files to load with it.
IMPORTER: Final = re.compile(
    rf"{QUOTE}(?P<entry>[^\"'`\n]{{1,500}}){QUOTE}:(?:async ?)?\(\)=>(?:[\w$.]+\(\(\)=>)?"
    rf"import\((?P<files>{QUOTE}[^\"'`\n]{{1,500}}{QUOTE}\)(?:,(?:!0\?)?(?:\[[^\]]*\]|void 0))?)"
    r"(?::void 0)?(?:,import\.meta\.url)?\)?,?"
)
# An entry in a list of webpack or Rspack: the module, and the chunks to load before.
REQUEST: Final = re.compile(
    r'"\.[^"\n]{0,500}":\["(?P<entry>[^"\n]{1,500})"(?P<chunks>[\w",~\[-]{0,2000})\]+,?'
)
CHUNK: Final = re.compile(r'(?<=\.push\(\[\[)[\w",~-]{1,2000}(?=\])')
LOADED_CHUNK: Final = re.compile(r"\.e\((?:/\*.{0,200}?\*/ ?)?[\"']?([\w~-]{1,200})")
# After the name of a chunk: its hash, and the suffix from webpack and Rspack.
CHUNK_SUFFIX: Final = re.compile(r"\.[0-9a-f]{8,32}\..*")
CHUNK_ID: Final = re.compile(r"[\w~-]+")
# The runtime lists all chunks; only the path for loading the chunks says more.
RUNTIME: Final = "runtime~"
PUBLIC_PATH: Final = re.compile(r'\.p=("[^"]*")')
# Minifiers choose names by the frequency of letters in a file, including parts left out here.
LOCAL: Final = re.compile(
    r"""(?P<kept>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    # A regular expression with a quote confuses texts and code: a word of a text is no name.
    r"|(?<=\s)(?<!let )(?<!const )(?<!var )[A-Za-z_$][\w$]?(?=\s))"
    r"|(?<![\w$.\"'`])[A-Za-z_$][\w$]?(?![\w$\"'`])",
    re.DOTALL,
)
# Packages may be linked from anywhere.
PACKAGE_FOLDER: Final = re.compile(r"(?:\.{1,2}/)+[^\"'`\s]{0,500}?node_modules/")
WORD: Final = re.compile(r"[\w~@.$-]+")
SOURCE_MAP: Final = re.compile(r"/[/*]# sourceMappingURL=\S{1,500}")
CONTENT_HASH: Final = re.compile(r"[-.][A-Za-z0-9_-]{8,}(?=\.)")
Files = Mapping[str, str]


class BuildValues:
    """Removes values that change with every build from a text.

    ``commits`` are full hashes; ``now`` is the time of the capture.
    """

    def __init__(self, commits: frozenset[str], now: datetime) -> None:
        starts = "|".join(sorted(commit[:SHORTEST] for commit in commits))
        self._commits = re.compile(rf"\b(?:{starts})[0-9a-f]{{0,33}}\b") if starts else None
        self._now = now

    def remove(self, text: str) -> tuple[str, frozenset[str]]:
        """Return the text without the values, and the names of their kinds."""
        removed = set()

        def drop_time(found: re.Match[str]) -> str:
            if not self._is_recent(found):
                return found.group()
            removed.add(TIME)
            return ""

        if self._commits is not None:
            text, count = self._commits.subn("", text)
            removed |= {COMMIT} if count else set()
        return TIMES.sub(drop_time, text), frozenset(removed)

    def _is_recent(self, found: re.Match[str]) -> bool:
        try:
            time = _parse_time(found)
        except (OverflowError, ValueError):
            return False
        return abs(self._now - time) < LONGEST_AGE


def read_build_values(root: Path) -> BuildValues:
    """Return the values of a build of the checkout in ``root``, as found in variables."""
    return BuildValues(frozenset(_list_commits(root, os.environ)), datetime.now(UTC))


def _list_commits(root: Path, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the commit, its parents (CI builds a merge of the branch), and commits named by CI."""
    yield from HASH.findall(run_git(root, "rev-parse", "HEAD"))
    header = run_git(root, "cat-file", "commit", "HEAD").partition("\n\n")[0]
    for line in header.splitlines():
        if line.startswith("parent "):
            yield from HASH.findall(line)
    yield from (value for value in variables.values() if HASH.fullmatch(value))


def _parse_time(found: re.Match[str]) -> datetime:
    if found["milliseconds"]:
        return datetime.fromtimestamp(int(found["milliseconds"]) / 1000, UTC)
    if found["seconds"]:
        return datetime.fromtimestamp(int(found["seconds"]), UTC)
    time = datetime.fromisoformat(found["written"])
    return time if time.tzinfo else time.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _File:
    """One built file: the hash and the names in its content, and the parts left out of the hash."""

    hash: str
    bases: AbstractSet[str] = frozenset()
    chunks: AbstractSet[str] = frozenset()
    removed: frozenset[str] = frozenset()


class BuiltCode:
    """The built files loaded by each story, and their hashes.

    ``written`` has the path of each file from the bundler, by its name in the folder, and ``page``
    is the page of the preview; ``entries`` are the import paths of stories and docs.
    """

    def __init__(
        self,
        written: Mapping[str, Path],
        page: Path,
        entries: frozenset[str],
        values: BuildValues,
    ) -> None:
        self._entries = entries
        self._values = values
        self._by_base = _group(written, lambda name: PurePosixPath(name).name)
        self._by_chunk_name = _group(written, _name_chunk)
        self._by_chunk: dict[str, set[str]] = {}
        # From the lists of all stories: files by their last name, or chunks.
        self._starts: dict[str, tuple[set[str], set[str]]] = {
            entry: (set(), set()) for entry in entries
        }
        self._files = {name: self._read(name, path) for name, path in written.items()}
        self._page = self._find_bases(page.read_text(encoding="utf-8", errors="replace"))

    def read(self) -> tuple[Files, Mapping[str, Files]]:
        """Return the files of every entry, and the further files of each entry, with their hashes.

        Files not loaded by any entry belong to every entry, and an entry with unknown files has all
        files.
        """
        starts = {entry: self._find_files(*start) for entry, start in self._starts.items()}
        reached = {entry: self._follow(names) for entry, names in starts.items() if names}
        every = frozenset(self._files)
        loaded = self._follow(self._find_files(self._page, frozenset()))
        shared = loaded | (every - frozenset().union(*reached.values()))
        own = {entry: reached.get(entry, every) - shared for entry in self._entries}
        return self._hash(shared), {entry: self._hash(names) for entry, names in own.items()}

    def removed_from(self, names: Iterable[str]) -> frozenset[str]:
        """Return the parts left out of the hashes of these files."""
        return frozenset().union(*(self._files[name].removed for name in names))

    def _hash(self, names: AbstractSet[str]) -> Files:
        return {name: self._files[name].hash for name in sorted(names)}

    def _find_files(self, bases: AbstractSet[str], chunks: AbstractSet[str]) -> frozenset[str]:
        files = [self._by_base[base] for base in bases]
        return frozenset().union(*files, *(self._by_chunk.get(each, set()) for each in chunks))

    def _follow(self, names: AbstractSet[str]) -> frozenset[str]:
        waiting, seen = list(names), set(names)
        while waiting:
            file = self._files[waiting.pop()]
            new = self._find_files(file.bases, file.chunks) - seen
            seen |= new
            waiting += new
        return frozenset(seen)

    def _read(self, name: str, path: Path) -> _File:
        if path.suffix.lower() not in CODE:
            return _File(hashlib.sha256(path.read_bytes()).hexdigest())
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.name.startswith(RUNTIME):
            return _File(_hash_text(" ".join(PUBLIC_PATH.findall(text))))
        text = SOURCE_MAP.sub("", _replace_positions(text))
        for chunk in CHUNK.findall(text):
            for number in CHUNK_ID.findall(chunk):
                # The styles of a chunk are in a file of the same name.
                files = self._by_chunk_name[_name_chunk(name)]
                self._by_chunk.setdefault(number, set()).update(files)
        plain = REQUEST.sub(self._drop_request, IMPORTER.sub(self._drop_importer, text))
        chunks = {*LOADED_CHUNK.findall(plain), *_list_requested(plain)}
        bases = self._find_bases(plain)
        is_list = plain != text
        for base in bases:
            plain = plain.replace(base, _drop_content_hash(base))
        plain, removed = self._values.remove(PACKAGE_FOLDER.sub("", CHUNK.sub("", plain)))
        if is_list or removed:
            plain = _number_locals(plain)
        return _File(_hash_text(plain), bases, chunks, removed)

    def _drop_importer(self, found: re.Match[str]) -> str:
        bases = self._find_bases(found["files"])
        if found["entry"] not in self._entries or not bases:
            return found.group()
        self._starts[found["entry"]][0].update(bases)
        return ""

    def _drop_request(self, found: re.Match[str]) -> str:
        chunks = frozenset(CHUNK_ID.findall(found["chunks"]))
        if found["entry"] not in self._entries or not chunks:
            return found.group()
        self._starts[found["entry"]][1].update(chunks)
        return ""

    def _find_bases(self, text: str) -> AbstractSet[str]:
        return self._by_base.keys() & set(WORD.findall(text))


def _group(names: Iterable[str], key: Callable[[str], str]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for name in names:
        groups.setdefault(key(name), set()).add(name)
    return groups


def _drop_content_hash(name: str) -> str:
    return CONTENT_HASH.sub("", name)


def _name_chunk(name: str) -> str:
    """Return the common part in the names of a chunk's script and styles."""
    return CHUNK_SUFFIX.sub("", PurePosixPath(name).name)


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _replace_positions(text: str) -> str:
    """Replace positions in Vite's list of all files with the names of the files."""
    listed = FILE_LIST.search(text)
    if listed is None:
        return text
    names = QUOTED.findall(listed.group(1))

    def name_files(found: re.Match[str]) -> str:
        positions = [int(each) for each in found.group(1).split(",") if each]
        return "[" + ",".join(f'"{name}"' for name in _pick(names, positions)) + "]"

    return POSITIONS.sub(name_files, text.replace(listed.group(), "", 1))


def _number_locals(text: str) -> str:
    """Name each short identifier by order of first use, without a change of strings."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        name = found.group()
        return name if found["kept"] else f"_{numbers.setdefault(name, len(numbers))}"

    return LOCAL.sub(number, text)


def _pick(names: Sequence[str], positions: Sequence[int]) -> Iterator[str]:
    yield from (names[position] for position in positions if position < len(names))


def _list_requested(text: str) -> Iterator[str]:
    for found in REQUEST.finditer(text):
        yield from CHUNK_ID.findall(found["chunks"])
