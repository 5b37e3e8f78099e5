"""Compare every document with the program, and each check with a bad snippet."""

import ast
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.support.architecture.program import whole_program
from tests.support.case import Case
from visual_review.actions.extended import EXTENDED
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.api.mcp.prompts import PROMPTS
from visual_review.jobs import MODULES

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
    """A command of the program: its flags, and its subcommands."""

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

    ``target`` returns the text of the file at a path in a link, an empty one for a folder or a
    binary file, None for a missing one.
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
    # Git providers and the site show an image in the theme named by its anchor.
    return found is not None and (not anchor or anchor in IMAGE_THEMES or anchor in anchors(found))


def anchors(text: str) -> set[str]:
    """Return the anchors of headings, as created by Git providers, and anchors set by hand."""
    prose = FENCE.sub("", text)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in HEADING.findall(prose)
    } | set(ANCHOR.findall(prose))


def unknown_commands(text: str, program: Command) -> list[str]:
    """Return uses of the program with an unknown command or flag."""
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
    """Return flags on their own in inline code unknown to every command."""
    known = program.all_flags() | ALWAYS
    return [
        f"no command has the flag {flag}"
        for span in inline_code(text)
        if span.startswith("--")
        for flag in FLAG.findall(span)
        if flag not in known
    ]


def unknown_targets(text: str, makefile: str, exists: Callable[[str], bool]) -> list[str]:
    """Return targets missing in the Makefile; ``exists`` says whether a benchmark exists."""
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
    """Return the program's environment variables named in a document."""
    return set(VARIABLE.findall(text))


def variables_read(source: str) -> set[str]:
    """Return the variables named as whole strings in a program; messages do not count."""
    constants = (
        node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)
    )
    return {value for value in constants if isinstance(value, str) and VARIABLE.fullmatch(value)}


ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DESIGN = DOCS / "explanation" / "design"
SOURCES = ROOT / "src"
LONGEST_HOW_TO = 150
MOST_FILES_OF_A_REQUEST = 15
GENERATED = ("node_modules", "storybook-static", "__pycache__")
# Published, but not implemented yet; an existing entry fails.
PLANNED: frozenset[str] = frozenset()
# Each with the reason why no operator or publisher needs to know the variable.
UNDOCUMENTED = {
    "VISUAL_REVIEW_DISK_RESERVE": "The supervisor passes the file's path to its processes with it.",
    "VISUAL_REVIEW_LISTENER": "The supervisor passes its socket to the web process with it.",
}
ACTIONS = {action.name for action in (*PUBLISHED, *EXTENDED, *INTERNAL)}
PROMPT_NAMES = {prompt.name for prompt in PROMPTS}
JOBS = {module.rpartition(".")[2] for module in MODULES}
# In words. A longer note repeats code or another page.
LONGEST_NOTE = 900
# Only these pages may name functions.
FOR_DEVELOPERS = (DESIGN, DOCS / "architecture.md")


@cache
def documents() -> list[Path]:
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", *GENERATED))]
        found += [Path(folder, file) for file in files if file.endswith(".md")]
    return sorted(found)


def breaches(check: Callable[[Path, str], list[str]]) -> str:
    faults = [
        f"{path.relative_to(ROOT)}: {fault}"
        for path in documents()
        for fault in check(path, path.read_text())
    ]
    return "\n".join(faults)


@cache
def program() -> Command:
    return described(whole_program())


def described(command: Any) -> Command:  # noqa: ANN401 - Typer's commands have no public class.
    flags = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    below = getattr(command, "commands", {})
    return Command(frozenset(flags), {name: described(below[name]) for name in below})


def at(folder: Path, path: str) -> str | None:
    file = folder / path
    if file.is_file() and file.suffix == ".md":
        return file.read_text()
    return "" if file.exists() else None


def functions() -> set[str]:
    sources = "".join(path.read_text() for path in SOURCES.rglob("*.py"))
    return {line.split("(")[0] for line in sources.split("def ")}


def test_there_are_documents() -> None:
    assert {ROOT / "README.md", DOCS / "README.md"} < set(documents())


def test_every_relative_link_has_a_target() -> None:
    found = breaches(lambda path, text: broken_links(text, lambda link: at(path.parent, link)))
    assert not found, found


def test_design_notes_are_short() -> None:
    notes = {page.name: len(page.read_text().split()) for page in DESIGN.glob("*.md")}
    assert {name: words for name, words in notes.items() if words >= LONGEST_NOTE} == {}


def test_the_model_tests_are_excerpts_of_test_files() -> None:
    text = (DOCS / "how-to" / "test.md").read_text()
    models = re.findall(r"^```python\n# (\S+)\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(models) == 3
    for path, excerpt in models:
        assert excerpt in (ROOT / path).read_text(), path


def test_every_how_to_is_short() -> None:
    lengths = {page: len(page.read_text().splitlines()) for page in DOCS.glob("how-to/*.md")}
    long = {page.name for page, lines in lengths.items() if lines >= LONGEST_HOW_TO}
    assert not long, "Move what is looked up to docs/reference, reasons to docs/explanation."


def test_every_named_command_and_flag_exists() -> None:
    known = program()
    found = breaches(lambda _, text: unknown_commands(text, known))
    assert not found, found


def test_every_flag_on_its_own_exists() -> None:
    known = program()
    found = breaches(lambda _, text: unknown_flags(text, known))
    assert not found, found


def test_every_named_target_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    found = breaches(
        lambda _, text: unknown_targets(
            text, makefile, lambda name: (ROOT / f"benchmarks/bench_{name}.py").exists()
        )
    )
    assert not found, found


def test_every_named_action_exists() -> None:
    known, inside = ACTIONS | PLANNED | {*PROMPT_NAMES}, functions() | JOBS

    def check(path: Path, text: str) -> list[str]:
        developers = any(path.is_relative_to(place) for place in FOR_DEVELOPERS)
        return unknown_actions(text, known, inside if developers else ())

    found = breaches(check)
    assert not found, found


def test_the_readme_names_the_actions_still_missing() -> None:
    assert not PLANNED & ACTIONS, "implemented: remove it from PLANNED, README and CHANGELOG"
    readme = (ROOT / "README.md").read_text()
    assert [name for name in sorted(PLANNED) if f"`{name}`" not in readme] == []


@cache
def variables_read_in(folder: Path) -> set[str]:
    sources = (path.read_text() for path in folder.rglob("*.py"))
    # Most files name none, and need not be parsed.
    return {name for source in sources if variables(source) for name in variables_read(source)}


def test_every_named_variable_is_read() -> None:
    folders = (SOURCES, ROOT / "scripts", ROOT / "tests" / "support")
    package = (ROOT / "packages" / "node" / "src").glob("*.ts")
    known = set().union(*map(variables_read_in, folders))
    known |= set().union(*(variables(path.read_text()) for path in package))
    found = breaches(lambda _, text: sorted(variables(text) - known))
    assert not found, found


def test_every_variable_is_documented() -> None:
    how_tos = (DOCS / "how-to" / page for page in ("publish.md", "capture.md", "check.md"))
    pages = (DOCS / "reference" / "settings.md", *how_tos)
    named = set().union(*(variables(page.read_text()) for page in pages))
    undocumented = sorted(variables_read_in(SOURCES) - named)
    assert undocumented == sorted(UNDOCUMENTED), "\n".join(undocumented)


def test_the_architecture_names_few_files_for_each_request(case: Case) -> None:
    text = (DOCS / "architecture.md").read_text()
    part = text.partition("## Four requests")[2].partition("\n## ")[0]
    requests = part.split("\n### ")[1:]
    assert len(requests) == 4
    for request in requests:
        with case(request.splitlines()[0]):
            files = {*re.findall(r"`([\w/]+\.(?:py|html))`", request)}
            assert 5 < len(files) <= MOST_FILES_OF_A_REQUEST
            assert all((SOURCES / "visual_review" / file).is_file() for file in files)


PROGRAM = Command(
    below={
        "up": Command(frozenset({"--data"})),
        "keys": Command(below={"create": Command(frozenset({"--name"}))}),
    }
)
MAKEFILE = ".PHONY: demo\ndemo: setup ## Show it\n\techo\nbench-%:\n\techo\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[a](there.md), [b](there.md#a-heading), [c](#own), [d](https://x.org/y)\n## Own", 0),
        ("[a](gone.md)", 1),
        ("![a](gone.png)", 1),
        ("[a](there.md#another)", 1),
        ("[a](#other)\n## Own", 1),
        ("`[a](gone.md)`\n```\n[b](gone.md)\n```\n", 0),
    ],
)
def test_broken_links_are_found(text: str, count: int) -> None:
    found = broken_links(text, {"there.md": "# A heading"}.get)
    assert len(found) == count


def test_headings_have_the_anchors_of_git_providers() -> None:
    assert anchors("# What is `new`, or not?\n```sh\n# no heading\n```\n") == {"what-is-new-or-not"}


def test_anchors_set_by_hand_count_too() -> None:
    assert anchors('| <a id="base-branch"></a>Base branch | text |') == {"base-branch"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("`visual-review up --data x`", None),
        ("`visual-review <command> --flag`, visual-review down", None),
        ("`pip install 'visual-review[server]'`, `cd visual-review-data down`", None),
        ("`visual-review keys create --name x && other --flag`", None),
        ("`visual-review down`", "no command 'visual-review down'"),
        ("```sh\nvisual-review up --date x\n```", "'visual-review up' has no flag --date"),
        ("```sh\nvisual-review up x \\\n  --date=x\n```", "'visual-review up' has no flag --date"),
        ("`visual-review keys make`", "no command 'visual-review keys make'"),
        ("`visual-review keys create --data x`", "has no flag --data"),
    ],
)
def test_unknown_commands_are_found(text: str, fault: str | None) -> None:
    found = unknown_commands(text, PROGRAM)
    assert len(found) == (fault is not None)
    assert (fault or "") in "".join(found)


def test_unknown_flags_are_found() -> None:
    text = "`--data x`, `--help`, `--name=y`, --prose and `other --else`, but `--date`"
    assert unknown_flags(text, PROGRAM) == ["no command has the flag --date"]


def test_unknown_targets_are_found() -> None:
    text = (
        "`make demo`, make sure, `make show`\n```sh\nA=1 make bench-a\nmake bench-b # make x\n```"
    )
    assert unknown_targets(text, MAKEFILE, {"a"}.__contains__) == [
        "there is no target 'bench-b' in the Makefile",
        "there is no target 'show' in the Makefile",
    ]


def test_unknown_actions_are_found() -> None:
    text = (
        "`get_build`, `get_builds`, `own_branch`, `get_inside`, get_prose\n```\ncall make_it x\n```"
    )
    assert unknown_actions(text, {"get_build"}, {"get_inside"}) == [
        "there is no action 'get_builds'",
        "there is no action 'make_it' to call",
    ]


def test_variables_are_distinguished_from_text_about_them() -> None:
    assert variables("`VISUAL_REVIEW_URL`, UI_REVIEW_TOKEN=x, VISUAL_REVIEW_*") == {
        "VISUAL_REVIEW_URL",
        "UI_REVIEW_TOKEN",
    }
    source = "read('VISUAL_REVIEW_URL')\nraise E('Set VISUAL_REVIEW_DATA.')"
    assert variables_read(source) == {"VISUAL_REVIEW_URL"}


def test_the_files_of_first_changes_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    paths = re.findall(r"`([\w/]+\.(?:py|md))`", "\n".join(rows))
    assert len(paths) > 10
    roots = (ROOT, ROOT / "src/visual_review", ROOT / "tests")
    assert [path for path in paths if not any((root / path).exists() for root in roots)] == []
