"""The import graph of the pages' modules."""

import re

from tests.support.case import Case
from visual_review.web.module_graph import imports_of, modules_needed_by
from visual_review.web.static_files import static_files


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
