"""Compare every document with the program, and each check with a bad snippet."""

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.architecture.documents import (
    Command,
    anchors,
    broken_links,
    unknown_actions,
    unknown_commands,
    unknown_flags,
    unknown_targets,
    variables,
    variables_read,
)
from tests.support.architecture.program import whole_program
from tests.support.case import Case
from visual_review.actions.extended import EXTENDED
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.api.mcp.prompts import PROMPTS
from visual_review.jobs import MODULES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DESIGN = DOCS / "explanation" / "design"
SOURCES = ROOT / "src"
LONGEST_HOW_TO = 150
MOST_FILES_OF_A_REQUEST = 15
GENERATED = ("node_modules", "storybook-static", "__pycache__")
# Published, but not implemented yet; an entry that exists fails.
PLANNED: frozenset[str] = frozenset()
# Each with the reason why no operator or publisher needs to know it.
UNDOCUMENTED = {
    "VISUAL_REVIEW_DISK_RESERVE": "The supervisor passes the file's path to its processes with it.",
    "VISUAL_REVIEW_LISTENER": "The supervisor passes its socket to the web process with it.",
}
ACTIONS = {action.name for action in (*PUBLISHED, *EXTENDED, *INTERNAL)}
PROMPT_NAMES = {prompt.name for prompt in PROMPTS}
JOBS = {module.rpartition(".")[2] for module in MODULES}
# In words. A longer one repeats what the code or another page says.
LONGEST_NOTE = 900
# Only these may name functions.
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
