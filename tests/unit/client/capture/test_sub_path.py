"""A Storybook is served at the path of its build."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.raw_get import get
from visual_review.client.capture import CaptureError
from visual_review.client.capture.preview_page import (
    ROOT,
    find_sub_path,
    find_tail,
    require_modules,
)
from visual_review.client.capture.server import StaticServer

FILES = ("assets/main.js", "sb-common-assets/a.woff2", "logo.svg", "data.json", "index.json")


def build(folder: Path, page: str, *files: str) -> Path:
    for name in files or FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "iframe.html").write_text(page)
    return folder


PAGES = {
    # Vite, with its base.
    '<script type="module" crossorigin src="/design/assets/main.js"></script>': "/design/",
    # Webpack, with its public path.
    "<script type=module>import './x.js';\nimport '/a/b/assets/main.js';</script>": "/a/b/",
    "<script type=module>import './sb.js'; import './/design/assets/main.js'</script>": "/design/",
    '<link rel="stylesheet" href="/some/prefix/assets/main.js?v=1">': "/some/prefix/",
    '<img src="/%C3%BCber/logo.svg">': "/über/",
    '<base href="/app/" target="_parent"><script src="assets/main.js"></script>': "/app/",
    '<base href="/app/index.html">': "/app/",
    # Built for the root, or for any path.
    '<script type="module" src="./assets/main.js"></script>': ROOT,
    '<script type="module" src="/assets/main.js"></script><img src="/old/logo.svg">': ROOT,
    '<base target="_parent">': ROOT,
    '<base href="./">': ROOT,
    # No files of this folder.
    '<script src="/elsewhere/none.js"></script>': ROOT,
    '<script src="//cdn.example.org/assets/main.js"></script>': ROOT,
    '<script src="https://cdn.example.org/assets/main.js"></script>': ROOT,
    "<script>import '/design/assets/main.js'</script>": ROOT,
    "": ROOT,
}


def test_the_sub_path_is_that_of_the_page(case: Case, tmp_path: Path) -> None:
    for number, (page, expected) in enumerate(PAGES.items()):
        with case(page[:60]):
            assert find_sub_path(build(tmp_path / str(number), page)) == expected


def test_a_request_below_another_path_is_that_of_the_longest_file(tmp_path: Path) -> None:
    folder = build(tmp_path, "", *FILES, "more/logo.svg")
    assert find_tail(folder, "/x/more/logo.svg?v=1") == ("/x/", "more/logo.svg")
    assert find_tail(folder, "/x/y/logo.svg") == ("/x/y/", "logo.svg")
    for other in ("/x/none.svg", "/logo.svg", "/x/index.json", "/x/../logo.svg", "logo.svg", "/"):
        assert find_tail(folder, other) is None


@given(
    url=st.text("/.%2eabc\\\0logsv#?", max_size=30),
    page=st.text("<base href='/>.%a\0\"", max_size=30),
)
def test_odd_urls_and_pages_lead_nowhere(
    tmp_path_factory: pytest.TempPathFactory, url: str, page: str
) -> None:
    folder = build(tmp_path_factory.mktemp("site"), page)
    assert find_sub_path(folder).startswith("/")
    found = find_tail(folder, url)
    assert found is None or found[1] in FILES


def test_a_page_without_any_of_its_scripts_is_an_error(case: Case, tmp_path: Path) -> None:
    pages = {
        '<script type="module" src="./assets/gone.js"></script>': "assets/gone.js",
        '<script type="module" src="/p/assets/gone.js"></script><img src="/p/logo.svg">': "gone.js",
        "<script type=module>import './runtime.js'; import './b.js'</script>": "runtime.js, b.js",
    }
    for number, (page, missing) in enumerate(pages.items()):
        folder = build(tmp_path / str(number), page)
        with case(page), pytest.raises(CaptureError, match=rf"iframe\.html needs .*{missing}"):
            require_modules(folder, find_sub_path(folder))


def test_what_may_be_missing_is_no_error(case: Case, tmp_path: Path) -> None:
    pages = (
        '<script src="./env.js"></script>',
        "<script type=module>import '/env.js'; import './assets/main.js'</script>",
        "<script type=module>import 'react'; import 'https://cdn.example.org/a.js'</script>",
    )
    for number, page in enumerate(pages):
        with case(page):
            require_modules(build(tmp_path / str(number), page), ROOT)


def test_a_storybook_is_served_below_its_sub_path_only(case: Case, tmp_path: Path) -> None:
    page = '<script type="module" src="/some/prefix/assets/main.js"></script>'
    folder = build(tmp_path / "site", page)
    (tmp_path / "secret.txt").write_text("secret")
    expected = {
        "/some/prefix/iframe.html?viewMode=story": 200,
        "/some/prefix/assets/main.js": 200,
        "/some/prefix/data.json": 200,
        "/some/prefix/./data.json": 200,
        "/some/prefix//some/prefix/assets/main.js": 200,
        "/data.json": 404,
        "/some/prefixdata.json": 404,
        "/other/data.json": 404,
        "/some/prefix/x/data.json": 404,
        "/some/prefix/../../data.json": 404,
        "/some/prefix/../secret.txt": 404,
        "/some/prefix/%2e%2e/secret.txt": 404,
        "/some/prefix//etc/passwd": 404,
        "/some/prefix/%00": 404,
    }
    with StaticServer(folder) as server:
        assert server.preview_path == "/some/prefix/iframe.html"
        for target, status in expected.items():
            with case(target):
                assert get(server.port, target)[0] == status
        assert server.notices() == ["Served below /some/prefix, as it was built for."]


def test_requests_below_another_path_get_the_files_and_are_noted(tmp_path: Path) -> None:
    folder = build(tmp_path, '<script type="module" src="./assets/main.js"></script>')
    with StaticServer(folder) as server:
        assert server.preview_path == "/iframe.html"
        assert get(server.port, "/data.json")[2] == b"data.json"
        assert server.notices() == []
        assert get(server.port, "/deployed/data.json")[2] == b"data.json"
        assert get(server.port, "/deployed/none.json")[0] == 404
        assert "below /deployed, " in server.notices()[0]
        assert "data.json" in server.notices()[0]
