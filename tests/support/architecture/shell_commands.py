"""The shell commands that documents print, and what can be wrong with them."""

import re
import shlex
from collections.abc import Callable, Collection, Iterator
from typing import Final

SHELL: Final = re.compile(r"^ {0,3}```(?:sh|bash)\n(.*?)^ {0,3}```", re.MULTILINE | re.DOTALL)
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
PROGRAM: Final = "visual-review"
INSTALLERS: Final = re.compile(
    r"\b(?:pip3? (?:install|download)|pipx (?:run|install)|uvx|uv (?:pip install|tool (?:install|run)))"
    r"\b[^\n`]*"
)
# Our name as something to look up at an index: not a path, and not followed by a URL.
LOOKED_UP: Final = re.compile(r"(?<![\w./@-])visual-review(?:\[[\w,-]+\])?(?![\w./-])(?! @ )")
# The source is named, so the name behind it is that of the program.
NAMED_SOURCE: Final = re.compile(
    r"--(?:spec|from) +([\"'])[^\"']*(?: @ |\.whl)[^\"']*\1 +visual-review"
)


def shell_commands(text: str) -> list[list[str]]:
    """Return the words of each command in the blocks for a shell, without its redirections."""
    found = []
    for block in SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            found += list(_split(line))
    return found


def _split(line: str) -> Iterator[list[str]]:
    # A quote that ends on another line belongs to no command that is examined.
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
        lexer.whitespace_split = True
        tokens = [*lexer, ";"]
    except ValueError:
        return
    words: list[str] = []
    for token in tokens:
        if token.strip("|&;()<>") or not token:
            words.append(token)
            continue
        while words and (ASSIGNMENT.match(words[0]) or words[0] in {"{", "export", "!"}):
            words.pop(0)
        if words:
            yield words
        words = []


def is_program(word: str) -> bool:
    return word == PROGRAM or word.endswith(f"/{PROGRAM}")


def looked_up_packages(text: str) -> list[str]:
    """Return the commands that look our package up at an index, where it is not."""
    return [
        command[0].strip()
        for command in INSTALLERS.finditer(text.replace("\\\n", " "))
        if "--no-index" not in command[0] and LOOKED_UP.search(NAMED_SOURCE.sub("", command[0]))
    ]


def missing_files(
    words: list[str], folders: Collection[str], exists: Callable[[str], bool]
) -> list[str]:
    """Return arguments that are paths in one of the checkout's ``folders`` and do not exist."""
    paths = [word.removeprefix("./") for word in words[1:]]
    return [path for path in paths if path.split("/")[0] in folders and not exists(path)]
