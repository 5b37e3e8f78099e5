"""Static files: their versions, compressed forms and the hints for a page's modules."""

import gzip

from django.template import Context, Template
from django.templatetags.static import static

from tests.support.case import Case
from visual_review.web.module_bundle import imports_of
from visual_review.web.static_files import make_static_files, static_files

SCRIPT = b"export const answer = 42;\n" * 100
FILES = {"web/a.js": SCRIPT, "web/small.css": b"a{}", "web/logo.png": SCRIPT}


def test_the_digest_changes_with_any_name_or_content(case: Case) -> None:
    digest = make_static_files(FILES).digest
    assert make_static_files(dict(reversed(FILES.items()))).digest == digest
    for name, changed in [
        ("content", {**FILES, "web/a.js": b"export {};"}),
        ("new file", {**FILES, "web/b.js": b""}),
        ("other name", {"web/b.js": SCRIPT, "web/small.css": b"a{}", "web/logo.png": SCRIPT}),
    ]:
        with case(name):
            assert make_static_files(changed).digest != digest


def test_a_path_finds_its_file_with_any_version(case: Case) -> None:
    files = make_static_files(FILES)
    script = files.files["web/a.js"]
    for path, expected in [
        (files.versioned("web/a.js"), (script, True)),
        ("web/a.js", (script, False)),
        (f"{'0' * 16}/web/a.js", (script, False)),
        (files.versioned("web/../web/a.js"), (None, True)),
        (files.versioned("web/"), (None, True)),
        (files.digest, (None, True)),
        ("", (None, False)),
    ]:
        with case(path):
            assert files.find(path) == expected


def test_only_what_becomes_smaller_is_compressed() -> None:
    files = make_static_files(FILES).files
    compressed = files["web/a.js"].compressed
    assert compressed is not None
    assert gzip.decompress(compressed) == SCRIPT
    assert files["web/small.css"].compressed is None
    assert files["web/logo.png"].compressed is None


def test_types_let_browsers_run_modules() -> None:
    types = {name: file.content_type for name, file in make_static_files(FILES).files.items()}
    assert types == {
        "web/a.js": "text/javascript; charset=utf-8",
        "web/small.css": "text/css; charset=utf-8",
        "web/logo.png": "image/png",
    }


def test_pages_link_to_the_version() -> None:
    assert static("web/base.css") == f"/static/{static_files().digest}/web/base.css"


def test_a_script_of_many_modules_is_one_file_if_it_is_bundled(case: Case) -> None:
    load = "{% load module_scripts %}"
    with case("bundled"):
        script = Template(load + '{% module_script "web/review/main.js" %}').render(Context())
        url = static("web/review/main.bundle.js")
        assert script == f'<script type="module" src="{url}"></script>'
        assert url.removeprefix(f"/static/{static_files().digest}/") in static_files().files
    with case("not bundled"):
        script = Template(load + '{% module_script "web/page.js" %}').render(Context())
        source = static_files().files["web/page.js"].content.decode()
        assert script.count("modulepreload") > len(imports_of("web/page.js", source))
        assert script.endswith(f'<script type="module" src="{static("web/page.js")}"></script>')
