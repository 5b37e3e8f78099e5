"""HTTP at the MCP endpoint: methods, hosts, origins, types, sizes and credentials."""

import base64
import gzip
import json
from itertools import product

from pytest_django.fixtures import Settings

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import (
    PATH,
    PROTOCOL_VERSIONS,
    Endpoint,
    ProtocolVersion,
    headers_of,
    open_endpoint,
    params_of,
)
from tests.support.personas import Personas
from visual_review.api.json_bodies import ACTION_LIMIT
from visual_review.repositories.models import Repository

PROBLEM = "application/problem+json"


def message(version: ProtocolVersion = "2025-11-25") -> bytes:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params_of({}, version)}
    return json.dumps(body).encode()


def headers(
    key: str | None, version: ProtocolVersion = "2025-11-25", **changed: str | None
) -> dict[str, str]:
    """Return the headers of a good request, some changed, or left out with None."""
    wanted = {
        **headers_of(key, "tools/list", {}, version),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return {name: value for name, value in wanted.items() if value is not None}


def still_works(endpoint: Endpoint, key: str) -> bool:
    """Return whether the endpoint still handles a valid call after a rejected one."""
    return "tools" in endpoint.result(key, "tools/list")


OTHER_METHODS = ("GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE")


def test_other_methods_are_rejected_with_the_right_one(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for method, version in product(OTHER_METHODS, PROTOCOL_VERSIONS):
        with case(f"{method}, {version}"):
            for body in (b"", message(version)):
                response = endpoint.send(body, headers(key, version, Mcp_Session_Id="1"), method)
                assert response.status_code == 405
                assert response.headers["allow"] == "POST"
                assert response.headers["content-type"] == PROBLEM
            assert still_works(endpoint, key)


def test_the_method_is_checked_before_the_credential(endpoint: Endpoint) -> None:
    # Clients probe for a stream by GET, and must not take the error for a request to sign in.
    assert endpoint.send(b"", {"Accept": "text/event-stream"}, "GET").status_code == 405


HOSTS = [
    ("reviews.example.com", 200),
    ("reviews.example.com:443", 200),
    ("Reviews.EXAMPLE.com", 200),
    ("reviews.example.com:80", 421),
    ("reviews.example.com:8443", 421),
    ("reviews.example.com.", 421),
    ("evil.reviews.example.com", 421),
    ("reviews.example.com.evil.com", 421),
    ("reviews.example.com@evil.com", 421),
    ("reviews.example.com, evil.com", 421),
    ("evil.com", 421),
    ("localhost", 421),
    ("127.0.0.1", 421),
    ("[::1]", 421),
    ("", 421),
]
LOCAL_HOSTS = [
    ("127.0.0.1:8000", 200),
    ("localhost:8000", 200),
    ("LOCALHOST:8000", 200),
    ("[::1]:8000", 200),
    ("127.0.0.1", 421),
    ("localhost:8001", 421),
    ("127.0.0.2:8000", 421),
    ("127.1:8000", 421),
    ("0.0.0.0:8000", 421),
    ("[::ffff:127.0.0.1]:8000", 421),
    ("localhost.:8000", 421),
    # A page of evil.com, with a name made to mean this machine.
    ("evil.com:8000", 421),
]
ORIGINS = [
    ("", 200),
    ("https://reviews.example.com", 200),
    ("https://REVIEWS.example.com:443", 200),
    ("http://reviews.example.com", 403),
    ("https://reviews.example.com:8443", 403),
    ("https://evil.com", 403),
    ("https://reviews.example.com.evil.com", 403),
    ("https://reviews.example.com, https://evil.com", 403),
    ("http://localhost", 403),
    ("http://localhost:6274", 403),
    ("file://", 403),
    ("chrome-extension://abcdef", 403),
    ("null", 403),
    ("*", 403),
    ("reviews.example.com", 403),
]


def statuses(
    name: str, values: list[tuple[str, int]], public_url: str, settings: Settings, key: str
) -> dict[str, int]:
    settings.PUBLIC_URL = public_url
    with open_endpoint() as endpoint:
        # A proxy's headers on hosts are ignored, neither for nor against.
        forwarded = {"X-Forwarded-Host": "reviews.example.com", "Forwarded": "host=localhost:8000"}
        return {
            value: endpoint.send(message(), {**headers(key), **forwarded, name: value}).status_code
            for value, _ in values
        }


def test_a_public_service_accepts_only_its_own_host_name(settings: Settings, key: str) -> None:
    found = statuses("Host", HOSTS, "https://reviews.example.com", settings, key)
    assert found == dict(HOSTS)


def test_a_local_service_accepts_the_names_of_the_machine(settings: Settings, key: str) -> None:
    found = statuses("Host", LOCAL_HOSTS, "http://127.0.0.1:8000", settings, key)
    assert found == dict(LOCAL_HOSTS)


def test_pages_of_other_origins_are_turned_away(settings: Settings, key: str) -> None:
    found = statuses("Origin", ORIGINS, "https://reviews.example.com", settings, key)
    assert found == dict(ORIGINS)


def test_a_wrong_host_or_origin_is_rejected_with_a_message(endpoint: Endpoint, key: str) -> None:
    for name, word in (("Host", "http://127.0.0.1:8000/api/mcp"), ("Origin", "other origins")):
        response = endpoint.send(message(), headers(key, **{name: "https://evil.com"}))
        assert response.headers["content-type"] == PROBLEM
        assert word in response.json()["detail"]
        assert "access-control-allow-origin" not in response.headers
    assert still_works(endpoint, key)


def test_a_header_that_comes_twice_is_no_good_one(case: Case, endpoint: Endpoint, key: str) -> None:
    for name in ("Host", "Origin", "Authorization"):
        with case(name):
            good = {"Host": "127.0.0.1:8000", "Origin": "http://127.0.0.1:8000", **headers(key)}
            assert endpoint.send(message(), good).status_code == 200
            other = {
                "Host": "evil.com",
                "Origin": "http://evil.com",
                "Authorization": "Bearer other",
            }
            for second in (good[name], other[name]):
                for pairs in ([*good.items(), (name, second)], [(name, second), *good.items()]):
                    assert endpoint.send(message(), pairs).status_code in {401, 403, 421}
            assert still_works(endpoint, key)


OTHER_TYPES = (None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp")


def test_a_message_of_another_type_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for kind, version in product(OTHER_TYPES, PROTOCOL_VERSIONS):
        with case(f"{kind!r}, {version}"):
            response = endpoint.send(message(version), headers(key, version, Content_Type=kind))
            assert response.status_code == 415
            assert response.headers["content-type"] == PROBLEM
            assert "application/json" in response.json()["detail"]


def test_a_message_in_another_encoding_is_rejected(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            kind = "application/json; charset=utf-16"
            body = message(version).decode().encode("utf-16")
            assert endpoint.send(body, headers(key, version, Content_Type=kind)).status_code == 415
            response = endpoint.send(body, headers(key, version))
            assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)
            packed = endpoint.send(
                gzip.compress(message(version)), headers(key, version, Content_Encoding="gzip")
            )
            assert (packed.status_code, packed.json()["error"]["code"]) == (400, -32700)
            assert still_works(endpoint, key)


SPELLINGS = ("Application/JSON", "application/json; charset=UTF-8")


def test_the_spelling_of_the_type_does_not_matter(case: Case, endpoint: Endpoint, key: str) -> None:
    for kind, version in product(SPELLINGS, PROTOCOL_VERSIONS):
        with case(f"{kind!r}, {version}"):
            response = endpoint.send(message(version), headers(key, version, Content_Type=kind))
            assert response.status_code == 200


ACCEPTED_TYPES = (
    (None, 200),
    ("*/*", 200),
    ("application/json", 200),
    ("APPLICATION/*;q=0.5", 200),
    ("text/event-stream", 406),
    ("text/html, application/json;q=0", 406),
)


def test_a_response_is_json_or_the_request_is_rejected(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for (accept, status), version in product(ACCEPTED_TYPES, PROTOCOL_VERSIONS):
        with case(f"{accept!r}, {version}"):
            response = endpoint.send(message(version), headers(key, version, Accept=accept))
            assert response.status_code == status
            assert response.headers["content-type"] == (
                "application/json" if status == 200 else PROBLEM
            )


def test_a_body_of_5_mb_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            for size in (ACTION_LIMIT + 1, 5_000_000):
                response = endpoint.send(message(version).ljust(size), headers(key, version))
                assert response.status_code == 413
                assert str(ACTION_LIMIT) in response.json()["detail"]
            # The bound is on the whole body, so a small message among much white space passes.
            assert (
                endpoint.send(
                    message(version).ljust(ACTION_LIMIT), headers(key, version)
                ).status_code
                == 200
            )


def test_the_scheme_of_a_credential_may_be_written_anyhow(endpoint: Endpoint, key: str) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        sent = headers(key, Authorization=f"{scheme} {key}")
        assert endpoint.send(message(), sent).status_code == 200


def test_a_credential_comes_as_bearer_in_its_header_or_not_at_all(
    endpoint: Endpoint, key: str
) -> None:
    basic = base64.b64encode(f"alice:{key}".encode()).decode()
    for credential in (
        f"Basic {basic}",
        f"Token {key}",
        key,
        f"Bearer{key}",
        "Bearer",
        f"Bearer ={key}",
    ):
        response = endpoint.send(message(), headers(key, Authorization=credential))
        assert response.status_code == 401, credential
    for query in (f"?access_token={key}", f"?api_key={key}", f"?authorization=Bearer%20{key}"):
        assert endpoint.send(message(), headers(None), path=f"{PATH}{query}").status_code == 401
    for name in ("X-API-Key", "Proxy-Authorization", "Cookie"):
        response = endpoint.send(message(), {**headers(None), name: f"Bearer {key}"})
        assert response.status_code == 401, name


def test_without_a_credential_nothing_is_learned_of_the_message(endpoint: Endpoint) -> None:
    for credential in (None, "vr_user_wrong"):
        bad = headers(credential)
        words = {endpoint.send(body, bad).text for body in (message(), b"", b"{", b"[]")}
        assert len(words) == 1
        assert json.loads(words.pop())["status"] == 401


def test_no_response_may_be_cached(case: Case, endpoint: Endpoint, key: str) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            responses = [
                endpoint.send(message(version), headers(key, version)),
                endpoint.send(message(version), headers(None, version)),
                endpoint.send(b"{", headers(key, version)),
                endpoint.send(b"", headers(key, version), "GET"),
                endpoint.ask(key, "no/such", version=version),
            ]
            for response in responses:
                assert response.headers.get_list("cache-control") == ["no-store"], response
                assert "set-cookie" not in response.headers
                assert "mcp-session-id" not in response.headers


def test_an_api_key_lists_and_calls_tools_in_both_protocol_versions(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            key = user_key(personas.alice)
            Repository.objects.create(
                organization=personas.alice.organization, full_name="acme/web"
            )

            tools = endpoint.result(key, "tools/list", version=version)["tools"]
            response = endpoint.call(key, "list_repos", {}, version)

            assert "list_repos" in {tool["name"] for tool in tools}
            assert response["structuredContent"]["repos"][0]["fullName"] == "acme/web"
            assert not response.get("isError")


def test_a_subscription_is_rejected_since_nothing_would_be_sent(
    endpoint: Endpoint, personas: Personas
) -> None:
    requested = {"notifications": {"toolsListChanged": True}}
    response = endpoint.ask(
        user_key(personas.alice), "subscriptions/listen", requested, version="2026-07-28"
    )
    assert response.status_code == 404
    assert response.json()["error"]["code"] == -32601
