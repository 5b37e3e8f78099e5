"""Every command in the documents can work, and each check is shown failing."""

import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

from tests.support.architecture.program import explain_arguments
from tests.support.case import Case
from visual_review.client.image_names import NamingOptions, map_names
from visual_review.client.image_names.mapping import parse_pattern

SHELL: Final = re.compile(r"^ {0,3}```(?:sh|bash)\n(.*?)^ {0,3}```", re.MULTILINE | re.DOTALL)
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
PROGRAM: Final = "visual-review"
INSTALLERS: Final = re.compile(
    r"\b(?:pip3? (?:install|download)|pipx (?:run|install)|uvx|uv (?:pip install|tool (?:install|run)))"
    r"\b[^\n`]*"
)
# Our name as something to look up at an index: not a path, and not followed by a URL.
LOOKED_UP: Final = re.compile(r"(?<![\w./@-])visual-review(?:\[[\w,-]+\])?(?![\w./-])(?! @ )")
# The source is named, so the name behind the source is the program's.
NAMED_SOURCE: Final = re.compile(
    r"--(?:spec|from) +([\"'])[^\"']*(?: @ |\.whl)[^\"']*\1 +visual-review"
)


def shell_commands(text: str) -> list[list[str]]:
    """Return the words of each command in the blocks for a shell, without redirections."""
    found = []
    for block in SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            found += list(_split(line))
    return found


def _split(line: str) -> Iterator[list[str]]:
    # A quote that ends on another line belongs to no examined command.
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
    """Return the commands that look up our package at an index without it."""
    return [
        command[0].strip()
        for command in INSTALLERS.finditer(text.replace("\\\n", " "))
        if "--no-index" not in command[0] and LOOKED_UP.search(NAMED_SOURCE.sub("", command[0]))
    ]


def missing_files(
    words: list[str], folders: Collection[str], exists: Callable[[str], bool]
) -> list[str]:
    """Return arguments with a missing path in one of the checkout's ``folders``."""
    paths = [word.removeprefix("./") for word in words[1:]]
    return [path for path in paths if path.split("/")[0] in folders and not exists(path)]


ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text()
# Where people look for a command; the tests have bad ones on purpose.
PLACES: Final = ("*.md", "*.yml", "*.yaml", "Makefile", "Dockerfile", "deploy", "src", "scripts")
TEXTS: Final = {".md", ".yml", ".yaml", ".py", ".html", ".js", ".service", ""}
NAMED_IMAGE: Final = re.compile(
    r"`([\w/-]+\.png)`\s+is\s+the\s+story\s+`([^`]+)`,\s+(\w+),\s+on\s+(\w+)"
)


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=True
    )
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_our_commands_are_accepted_by_the_program(case: Case) -> None:
    for path in tracked("*.md"):
        for command in filter(lambda words: is_program(words[0]), shell_commands(path.read_text())):
            with case(f"{path.relative_to(ROOT)}: {' '.join(command)}"):
                assert explain_arguments(command[1:]) == ""


def test_documents_name_files_of_the_checkout_that_exist(case: Case) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and tracked(path.name)}
    for path in (ROOT / "README.md", *tracked("docs/how-to", "docs/tutorial", "CONTRIBUTING.md")):
        for command in shell_commands(path.read_text()):
            with case(f"{path.relative_to(ROOT)}: {' '.join(command)}"):
                exists = lambda name: (ROOT / name).exists()  # noqa: E731 - Short and local.
                assert missing_files(command, folders - {"tests"}, exists) == []


def test_the_readme_has_only_commands_that_are_checked(case: Case) -> None:
    environments: set[str] = set()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    targets = re.findall(r"(?m)^([a-z][\w-]*):", (ROOT / "Makefile").read_text())
    for command in shell_commands(README):
        with case(" ".join(command)):
            folder, _, program = command[0].rpartition("/bin/")
            assert not folder or folder in environments
            if command[:3] == ["python3", "-m", "venv"]:
                environments.update(command[3:])
            elif program in {"pip", "pipx"}:
                assert command[1:] in [["install", f".[{extra}]"] for extra in extras]
            elif program == "make":
                assert command[1] in targets
            else:
                assert is_program(command[0])


def test_no_command_looks_the_program_up_at_an_index(case: Case) -> None:
    for path in tracked(*PLACES):
        if path.suffix in TEXTS and "node_modules" not in path.parts:
            with case(str(path.relative_to(ROOT))):
                assert looked_up_packages(path.read_text()) == []


def test_the_rule_for_names_in_the_readme_is_the_programs() -> None:
    [(file, story, theme, device)] = NAMED_IMAGE.findall(README)
    (image,) = map_names([file], NamingOptions()).images
    assert (image.title, image.theme, image.device) == (story, theme, device)
    patterns = re.findall(r"--name-pattern '([^']+)'", README)
    assert patterns
    assert [parse_pattern(each).text for each in patterns] == patterns


def test_commands_that_cannot_work_are_found(case: Case) -> None:
    for arguments, fault in {
        "publish x --explain": "",
        "--version": "",
        "keys create --name x --user y": "",
        "publis x": "there is no command 'visual-review publis'",
        "keys": "there is no command 'visual-review keys '",
        "publish x --date": "No such option: --date",
        "publish x --device watch": "'watch' is not one of",
        "diff onlyone": "Missing parameter",
    }.items():
        with case(arguments):
            found = explain_arguments(arguments.split())
            assert (fault in found) if fault else found == ""


def test_commands_are_read_out_of_blocks() -> None:
    text = "```sh\na 'b c' \\\n  d # e\nX=1 f | g > h && i\nexport K=$(j l)\n```\n```yaml\nk\n```"
    assert shell_commands(text) == [["a", "b c", "d"], ["f"], ["g"], ["h"], ["i"], ["j", "l"]]


def test_packages_that_an_index_does_not_have_are_found(case: Case) -> None:
    for text, count in {
        "pip install visual-review": 1,
        "uv tool install 'visual-review[server]'   # or: pip install .": 1,
        "run: pip install --upgrade visual-review==0.1.0 && x": 1,
        "pipx run visual-review publish x": 1,
        "uvx visual-review publish": 1,
        "pipx run --spec visual-review visual-review publish": 1,
        'pip install "visual-review @ https://x.org/client/visual_review-0.1.0-py3-none-any.whl"': 0,
        'pipx run --spec "visual-review @ https://x.org/a.whl" visual-review publish': 0,
        "pip download --no-index --find-links x visual-review==1": 0,
        "/opt/visual-review/bin/pip install '.[server]'": 0,
        "pip install ./visual-review": 0,
        "uvx ruff": 0,
    }.items():
        with case(text):
            assert len(looked_up_packages(text)) == count


def test_files_that_do_not_exist_are_found() -> None:
    words = ["install", "deploy/a", "./deploy/b", "other/c"]
    assert missing_files(words, {"deploy"}, {"deploy/a"}.__contains__) == ["deploy/b"]
