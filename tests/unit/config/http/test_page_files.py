"""The static files for browsers: caching, compression, and nothing outside."""

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.support.case import Case
from visual_review.config.http.page_files import PATH, PageFiles
from visual_review.web.static_files import make_static_files

SCRIPT = b"export const answer = 42;\n" * 100
FILES = make_static_files({"web/a.js": SCRIPT, "web/small.css": b"a{}"})
VERSIONED = "public, max-age=31536000, immutable"
PLAIN = "max-age=60, public"


@pytest.fixture
def browser() -> TestClient:
    return TestClient(Starlette(routes=[Mount(PATH, PageFiles(FILES))]))


def test_only_the_url_with_the_digest_is_kept_for_good(browser: TestClient, case: Case) -> None:
    for path, caching in [
        (f"/static/{FILES.digest}/web/a.js", VERSIONED),
        ("/static/web/a.js", PLAIN),
        (f"/static/{'0' * 16}/web/a.js", PLAIN),
    ]:
        with case(path):
            response = browser.get(path)
            assert (response.content, response.headers["cache-control"]) == (SCRIPT, caching)


def test_scripts_are_compressed_for_those_who_accept_it(browser: TestClient, case: Case) -> None:
    for accepted, encoding in [
        ("gzip, deflate, br", "gzip"),
        ("gzip;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("", None),
    ]:
        with case(accepted):
            response = browser.get("/static/web/a.js", headers={"accept-encoding": accepted})
            assert response.headers.get("content-encoding") == encoding
            assert response.headers["vary"] == "Accept-Encoding"
            assert response.content == SCRIPT
            assert (int(response.headers["content-length"]) < len(SCRIPT)) == (encoding == "gzip")


def test_a_browser_that_has_the_file_is_not_sent_it_again(browser: TestClient) -> None:
    etag = browser.get("/static/web/a.js").headers["etag"]
    response = browser.get("/static/web/a.js", headers={"if-none-match": etag})
    assert (response.status_code, response.content) == (304, b"")


def test_other_requests_say_what_is_wrong(browser: TestClient, case: Case) -> None:
    for method, path, status in [
        ("GET", "/static/web/none.js", 404),
        ("GET", "/static/web", 404),
        ("GET", "/static/..%2f..%2fsettings.py", 404),
        ("GET", "/static/%00", 404),
        ("POST", "/static/web/a.js", 405),
    ]:
        with case(f"{method} {path}"):
            assert browser.request(method, path).status_code == status
    with case("HEAD"):
        response = browser.head("/static/web/small.css")
        assert (response.status_code, response.headers["content-length"]) == (200, "3")
