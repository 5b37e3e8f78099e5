"""Modules joined into one file behave as before."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from scripts.setup_steps import ROOT, VENV_BIN

from tests.support.case import Case
from visual_review.web.module_bundle import (
    BundleError,
    bundle_modules,
    evaluation_order,
    imports_of,
    modules_needed_by,
)
from visual_review.web.static_files import static_files

# Each form of import and export used on the pages.
MODULES = {
    "web/a/main.js": """import { add as sum, TWO } from "../b/numbers.js";
import {
  Greeting,
  later,
} from "./all.js";
import "./first.js";

const name = "main";
console.log(name, sum(TWO, TWO), new Greeting().text, await_less());
later().then((text) => console.log(text));

/** @param {import("../b/numbers.js").Missing} x */
function await_less(x = 1) { return x; }
""",
    "web/a/all.js": """export { Greeting } from "./greeting.js";
export { wait as later, unused };
async function wait() { return `later ${unused}`; }
const unused = 7;
""",
    "web/a/greeting.js": """import { TWO } from "../b/numbers.js";
const name = "greeting";
export class Greeting { text = `${name} ${TWO}`; }
export async function other() { return name; }
""",
    "web/a/first.js": 'import { TWO } from "../b/numbers.js";\nconsole.log("first", TWO);\n',
    "web/b/numbers.js": """export const TWO = 2;
export function add(a, b) { return a + b; }
export {};
""",
}


def run(path: Path) -> str:
    found = subprocess.run(["node", path], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_the_bundle_does_what_the_modules_do(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name, source in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    bundle = tmp_path / "bundle.js"
    bundle.write_text(bundle_modules("web/a/main.js", MODULES))
    expected = "first 2\nmain 4 greeting 2 1\nlater 7\n"
    assert run(tmp_path / "web/a/main.js") == run(bundle) == expected


def test_each_module_runs_once_after_those_it_imports() -> None:
    assert evaluation_order("web/a/main.js", MODULES) == [
        "web/b/numbers.js",
        "web/a/greeting.js",
        "web/a/all.js",
        "web/a/first.js",
        "web/a/main.js",
    ]


def test_what_cannot_be_joined_is_refused(case: Case) -> None:
    for source in [
        "export default 1;",
        "export let changing = 1;",
        'export * from "./b.js";',
        'import * as b from "./b.js";',
        'import b from "./b.js";',
        'const b = import("./b.js");',
        "const url = import.meta.url;",
        'import { a } from "./missing.js";',
        'import { a } from "./main.js";',
    ]:
        with case(source), pytest.raises(BundleError):
            bundle_modules("main.js", {"main.js": source, "b.js": "export const a = 1;"})


def test_the_review_page_is_joined_and_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "bundle.mjs"
    path.write_bytes(static_files().files["web/review/main.bundle.js"].content)
    found = subprocess.run(["node", "--check", path], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_only_static_imports_are_found(case: Case) -> None:
    for source, expected in [
        ('import { a } from "./b.js";', ["web/review/b.js"]),
        ("import a from '../viewer/c.js';", ["web/viewer/c.js"]),
        ('import "./b.js";', ["web/review/b.js"]),
        ('import {\n  a,\n  b as c,\n} from "./b.js";', ["web/review/b.js"]),
        ('import * as b from "./b.js";', ["web/review/b.js"]),
        (
            'export { a } from "./b.js";\nexport * from "./c.js";',
            ["web/review/b.js", "web/review/c.js"],
        ),
        ('const b = await import("./b.js");', []),
        ('/**\n * @typedef {import("./types.js").A} A\n */', []),
        ('/*\nimport "./b.js";\n*/', []),
        ('// import "./b.js";', []),
        ('export const path = "./b.js";', []),
        ('import { a } from "package";', []),
    ]:
        with case(source):
            assert imports_of("web/review/main.js", source) == expected


def test_each_module_is_needed_once() -> None:
    sources = {
        "a.js": 'import "./b.js";\nimport "./c.js";\nimport "./missing.js";',
        "b.js": 'import "./d.js";',
        "c.js": 'import "./d.js";\nimport "./a.js";',
        "d.js": "",
        "other.js": "",
    }
    assert modules_needed_by("a.js", sources) == ["a.js", "b.js", "c.js", "d.js"]


def test_every_import_of_the_pages_exists() -> None:
    files = static_files().files
    for name, file in files.items():
        if name.startswith("web/") and name.endswith(".js"):
            assert [
                each for each in imports_of(name, file.content.decode()) if each not in files
            ] == []


def test_no_page_names_a_static_file_without_its_version() -> None:
    for name, file in static_files().files.items():
        if name.startswith("web/") and name.endswith((".js", ".css")):
            assert not re.search(r"[\"'(]/static/", file.content.decode()), name


TESTS = "tests/javascript/**/*.test.js"


def test_modules_of_the_pages() -> None:
    done = subprocess.run(
        # The scripts are modules by their syntax; no package.json is served next to them.
        [
            "node",
            "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
            "--test",
            "--test-reporter=tap",
            TESTS,
        ],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    # Without a matching file, the runner passes, too.
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None, done.stdout
    assert int(passed[1]) > 0
