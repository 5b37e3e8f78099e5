"""Every error below ``/api`` is a problem document, whichever part of the service makes it."""

from typing import Any

import httpx

from tests.support.case import Case
from tests.support.servers.in_process_service import InProcessService


def problem_of(response: httpx.Response) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == response.status_code
    assert document["type"].startswith("urn:visual-review:problem:")
    assert {"title", "detail"} <= document.keys()
    return document


NEAR_MISSES = (
    ("/api", None),
    ("/api/", None),
    ("/api/nothing", None),
    ("/api/rest", None),
    ("/api/rest/actions", None),
    ("/api/rest/actions/", None),
    ("/api/rest/action/list_repos", "/api/rest/actions/list_repos"),
    ("/api/rest/list_repos", "/api/rest/actions/list_repos"),
    ("/api/list_builds/", "/api/rest/actions/list_builds"),
    ("/api/openapi", "/api/openapi.json"),
    ("/api/openapi.json/", "/api/openapi.json"),
    ("/api/mcp/", "/api/mcp"),
    ("/api/mcp/x", "/api/mcp"),
    ("/api/ci/build", "/api/ci/builds"),
    ("/api/ci/builds/", "/api/ci/builds"),
    ("/api/ci/builds/build_x/finish/", "/api/ci/builds/build_x/finish"),
    ("/api/oauth/tokens", "/api/oauth/token"),
    ("/api/rest/action/approveBuild", "/api/rest/actions/approve_build"),
    ("/api/rest/action/approve_screenshot", "/api/rest/actions/review_screenshot"),
    ("/api/rest/v1/actions/delete_repo", "/api/rest/actions/remove_repo"),
    ("/api/rest/action/delete_build", "/api/rest/actions/get_build"),
    ("/api/rest/action/update_recording", "/api/rest/actions/get_recording"),
    ("/api/rest/action/approve_story", None),
    ("/api/webhooks/x", None),
    ("/api/ελληνικά/\u202e", None),
)


def test_a_near_miss_is_a_problem_document_with_the_right_path(
    service: InProcessService, case: Case
) -> None:
    with httpx.Client(base_url=service.url) as http:
        for path, meant in NEAR_MISSES:
            for method in ("GET", "POST", "OPTIONS", "DELETE"):
                with case(f"{method} {path}"):
                    response = http.request(method, path)
                    assert response.status_code == 404
                    detail = problem_of(response)["detail"]
                    assert ("Did you mean" in detail) is (meant is not None)
                    assert meant is None or f"'{meant}'" in detail
            with case(f"HEAD {path}"):
                response = http.head(path)
                assert (response.status_code, response.content) == (404, b"")
                assert response.headers["content-type"] == "application/problem+json"


def test_other_methods_are_problem_documents(service: InProcessService, case: Case) -> None:
    for method in ("GET", "PUT", "OPTIONS", "PROPFIND"):
        for path, allowed in (
            ("/api/rest/actions/list_repos", "POST"),
            ("/api/mcp", "POST"),
            ("/api/ci/builds", "POST"),
            ("/api/webhooks/hosts/host_x", "POST"),
        ):
            with case(f"{method} {path}"):
                response = httpx.request(method, f"{service.url}{path}")
                assert response.status_code == 405
                assert response.headers["allow"] == allowed
                problem_of(response)


def test_another_host_is_a_problem_document(service: InProcessService) -> None:
    url, headers = f"{service.url}/api/openapi.json", {"Host": "evil.example"}
    response = httpx.get(url, headers=headers)
    assert response.status_code == 400
    assert "Host" in problem_of(response)["detail"]
    assert "text/html" in httpx.get(f"{service.url}/x", headers=headers).headers["content-type"]
