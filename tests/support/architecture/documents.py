"""What a program can check in documents, each as a function from a text to its violations.

They take the text and the facts to compare it with, so that tests can show each of them failing.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n(.*?)^ {0,3}\1 *$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
COMMAND = re.compile(r"(?<![\w./\[-])visual-review((?:[ \t]+[^\s`|&;<>)\"#]+)+)")
TARGET = re.compile(r"(?:^|&&|;)[ \t]*(?:[A-Z_]+=\S+[ \t]+)*make[ \t]+([a-z][\w-]*)", re.MULTILINE)
WORD = re.compile(r"[a-z][a-z0-9-]*")
FLAG = re.compile(r"--[a-z]+(?:-[a-z]+)*(?![\w-])")
VARIABLE = re.compile(r"\b(?:VISUAL_REVIEW|UI_REVIEW)_[A-Z_]*[A-Z]\b")
CALLED = re.compile(r"(?:/api/rest/actions/|\bcall )([a-z]\w*)")
ALWAYS = frozenset({"--help"})
IMAGE_THEMES = frozenset({"gh-light-mode-only", "gh-dark-mode-only"})


@dataclass(frozen=True)
class Command:
    """A command of the program: its flags, and the commands below it."""

    flags: frozenset[str] = frozenset()
    below: Mapping[str, "Command"] = field(default_factory=dict)

    def all_flags(self) -> set[str]:
        return set(self.flags).union(*(command.all_flags() for command in self.below.values()))


def inline_code(text: str) -> list[str]:
    return [match[2].strip() for match in INLINE.finditer(FENCE.sub("", text))]


def code(text: str) -> list[str]:
    """Return every piece of code: fenced blocks, with continued lines joined, and inline spans."""
    blocks = [match[2].replace("\\\n", " ") for match in FENCE.finditer(text)]
    return blocks + inline_code(text)


def broken_links(text: str, target: Callable[[str], str | None]) -> list[str]:
    """Return relative links without a target.

    ``target`` returns the text of the file at a path as the link has it, an empty one for a
    folder or a file that is no text, None where there is nothing.
    """
    prose = INLINE.sub("", FENCE.sub("", text))
    return [
        f"the link {link} leads nowhere"
        for link in LINK.findall(prose)
        if not ELSEWHERE.match(link) and not _leads(link, text, target)
    ]


def _leads(link: str, text: str, target: Callable[[str], str | None]) -> bool:
    path, _, anchor = unquote(link).partition("#")
    found = target(path) if path else text
    # Git providers and the site show an image in the theme that its anchor names.
    return found is not None and (not anchor or anchor in IMAGE_THEMES or anchor in anchors(found))


def anchors(text: str) -> set[str]:
    """Return the anchors of headings, as Git providers create them, and those set by hand."""
    prose = FENCE.sub("", text)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in HEADING.findall(prose)
    } | set(ANCHOR.findall(prose))


def unknown_commands(text: str, program: Command) -> list[str]:
    """Uses of the program with a command or a flag it does not have."""
    return [
        fault
        for piece in code(text)
        for used in COMMAND.findall(piece)
        for fault in _faults(used.split(), program)
    ]


def _faults(words: list[str], program: Command) -> Iterator[str]:
    command, name = program, "visual-review"
    rest = list(words)
    while command.below and rest and WORD.fullmatch(rest[0]):
        if rest[0] not in command.below:
            yield f"there is no command '{name} {rest[0]}'"
            return
        name = f"{name} {rest[0]}"
        command = command.below[rest.pop(0)]
    for word in rest:
        flag = word.split("=")[0]
        if FLAG.fullmatch(flag) and flag not in command.flags | ALWAYS:
            yield f"'{name}' has no flag {flag}"


def unknown_flags(text: str, program: Command) -> list[str]:
    """Return flags on their own in inline code that no command has."""
    known = program.all_flags() | ALWAYS
    return [
        f"no command has the flag {flag}"
        for span in inline_code(text)
        if span.startswith("--")
        for flag in FLAG.findall(span)
        if flag not in known
    ]


def unknown_targets(text: str, makefile: str, exists: Callable[[str], bool]) -> list[str]:
    """Return targets that the Makefile lacks; ``exists`` says whether a benchmark exists."""
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    used = [target for piece in code(text) for target in TARGET.findall(piece)]
    return [
        f"there is no target '{target}' in the Makefile"
        for target in used
        if target not in targets
        and not (target.startswith("bench-") and exists(target.removeprefix("bench-")))
    ]


def unknown_actions(text: str, actions: Collection[str], others: Collection[str] = ()) -> list[str]:
    """Return names that look like actions, by their verb or their place in a call, and are not."""
    # An action of one word is no verb of others.
    verbs = {name.split("_")[0] for name in actions if "_" in name}
    named = {
        span
        for span in inline_code(text)
        if re.fullmatch(r"[a-z]+(_[a-z]+)+", span) and span.split("_")[0] in verbs
    }
    called = {name for piece in code(text) for name in CALLED.findall(piece)}
    return [f"there is no action '{name}'" for name in sorted(named - {*actions, *others})] + [
        f"there is no action '{name}' to call" for name in sorted(called - set(actions))
    ]


def variables(text: str) -> set[str]:
    """Return the environment variables of the program that a document names."""
    return set(VARIABLE.findall(text))


def variables_read(source: str) -> set[str]:
    """Return those that a program names as a whole string, which excludes text in messages."""
    constants = (
        node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)
    )
    return {value for value in constants if isinstance(value, str) and VARIABLE.fullmatch(value)}
