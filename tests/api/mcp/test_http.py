"""What the MCP door makes of HTTP itself: methods, hosts, origins, types, sizes, credentials."""

import base64
import gzip
import json
from itertools import product

import pytest
from pytest_django.fixtures import Settings

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import (
    ERAS,
    PATH,
    Endpoint,
    Era,
    headers_of,
    open_endpoint,
    params_of,
)
from tests.support.personas import Personas
from visual_review.api.json_bodies import ACTION_LIMIT

PROBLEM = "application/problem+json"


@pytest.fixture
def key(personas: Personas) -> str:
    return user_key(personas.alice)


def message(era: Era = "2025-11-25") -> bytes:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params_of({}, era)}
    return json.dumps(body).encode()


def headers(key: str | None, era: Era = "2025-11-25", **changed: str | None) -> dict[str, str]:
    """Those of a good request, some changed, or left out with None."""
    wanted = {
        **headers_of(key, "tools/list", {}, era),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return {name: value for name, value in wanted.items() if value is not None}


def goes_on(endpoint: Endpoint, key: str) -> bool:
    """Whether the same endpoint answers a good call after what it just refused."""
    return "tools" in endpoint.result(key, "tools/list")


OTHER_METHODS = ("GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE")


def test_other_methods_are_told_the_right_one(case: Case, endpoint: Endpoint, key: str) -> None:
    for method, era in product(OTHER_METHODS, ERAS):
        with case(f"{method}, {era}"):
            for body in (b"", message(era)):
                answer = endpoint.send(body, headers(key, era, Mcp_Session_Id="1"), method)
                assert answer.status_code == 405
                assert answer.headers["allow"] == "POST"
                assert answer.headers["content-type"] == PROBLEM
            assert goes_on(endpoint, key)


def test_a_method_is_told_before_anybody_signs_in(endpoint: Endpoint) -> None:
    # Clients probe for a stream by GET, and must not take the answer for a call to sign in.
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
    # A page of evil.com whose name was made to mean this machine.
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
        # What a proxy says of hosts is never looked at, neither for nor against.
        forwarded = {"X-Forwarded-Host": "reviews.example.com", "Forwarded": "host=localhost:8000"}
        return {
            value: endpoint.send(message(), {**headers(key), **forwarded, name: value}).status_code
            for value, _ in values
        }


def test_a_public_service_answers_to_its_name_alone(settings: Settings, key: str) -> None:
    found = statuses("Host", HOSTS, "https://reviews.example.com", settings, key)
    assert found == dict(HOSTS)


def test_a_service_on_this_machine_answers_to_the_machines_names(
    settings: Settings, key: str
) -> None:
    found = statuses("Host", LOCAL_HOSTS, "http://127.0.0.1:8000", settings, key)
    assert found == dict(LOCAL_HOSTS)


def test_pages_of_other_origins_are_turned_away(settings: Settings, key: str) -> None:
    found = statuses("Origin", ORIGINS, "https://reviews.example.com", settings, key)
    assert found == dict(ORIGINS)


def test_a_refused_host_or_origin_is_told_in_words(endpoint: Endpoint, key: str) -> None:
    for name, word in (("Host", "http://127.0.0.1:8000/api/mcp"), ("Origin", "other origins")):
        answer = endpoint.send(message(), headers(key, **{name: "https://evil.com"}))
        assert answer.headers["content-type"] == PROBLEM
        assert word in answer.json()["detail"]
        assert "access-control-allow-origin" not in answer.headers
    assert goes_on(endpoint, key)


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
            assert goes_on(endpoint, key)


OTHER_TYPES = (None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp")


def test_a_message_of_another_type_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for kind, era in product(OTHER_TYPES, ERAS):
        with case(f"{kind!r}, {era}"):
            answer = endpoint.send(message(era), headers(key, era, Content_Type=kind))
            assert answer.status_code == 415
            assert answer.headers["content-type"] == PROBLEM
            assert "application/json" in answer.json()["detail"]


def test_a_message_in_another_encoding_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for era in ERAS:
        with case(era):
            kind = "application/json; charset=utf-16"
            body = message(era).decode().encode("utf-16")
            assert endpoint.send(body, headers(key, era, Content_Type=kind)).status_code == 415
            answer = endpoint.send(body, headers(key, era))
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)
            packed = endpoint.send(
                gzip.compress(message(era)), headers(key, era, Content_Encoding="gzip")
            )
            assert (packed.status_code, packed.json()["error"]["code"]) == (400, -32700)
            assert goes_on(endpoint, key)


SPELLINGS = ("Application/JSON", "application/json; charset=UTF-8")


def test_the_spelling_of_the_type_does_not_matter(case: Case, endpoint: Endpoint, key: str) -> None:
    for kind, era in product(SPELLINGS, ERAS):
        with case(f"{kind!r}, {era}"):
            answer = endpoint.send(message(era), headers(key, era, Content_Type=kind))
            assert answer.status_code == 200


ACCEPTED_TYPES = (
    (None, 200),
    ("*/*", 200),
    ("application/json", 200),
    ("APPLICATION/*;q=0.5", 200),
    ("text/event-stream", 406),
    ("text/html, application/json;q=0", 406),
)


def test_an_answer_is_json_or_none_is_wanted(case: Case, endpoint: Endpoint, key: str) -> None:
    for (accept, status), era in product(ACCEPTED_TYPES, ERAS):
        with case(f"{accept!r}, {era}"):
            answer = endpoint.send(message(era), headers(key, era, Accept=accept))
            assert answer.status_code == status
            assert answer.headers["content-type"] == (
                "application/json" if status == 200 else PROBLEM
            )


def test_a_body_of_5_mb_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for era in ERAS:
        with case(era):
            for size in (ACTION_LIMIT + 1, 5_000_000):
                answer = endpoint.send(message(era).ljust(size), headers(key, era))
                assert answer.status_code == 413
                assert str(ACTION_LIMIT) in answer.json()["detail"]
            # The bound is on the whole body, so a small message among much white space passes.
            assert (
                endpoint.send(message(era).ljust(ACTION_LIMIT), headers(key, era)).status_code
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
        answer = endpoint.send(message(), headers(key, Authorization=credential))
        assert answer.status_code == 401, credential
    for query in (f"?access_token={key}", f"?api_key={key}", f"?authorization=Bearer%20{key}"):
        assert endpoint.send(message(), headers(None), path=f"{PATH}{query}").status_code == 401
    for name in ("X-API-Key", "Proxy-Authorization", "Cookie"):
        answer = endpoint.send(message(), {**headers(None), name: f"Bearer {key}"})
        assert answer.status_code == 401, name


def test_without_a_credential_nothing_is_learned_of_the_message(endpoint: Endpoint) -> None:
    for credential in (None, "vr_user_wrong"):
        bad = headers(credential)
        words = {endpoint.send(body, bad).text for body in (message(), b"", b"{", b"[]")}
        assert len(words) == 1
        assert json.loads(words.pop())["status"] == 401


def test_no_answer_is_kept_by_anybody_on_the_way(case: Case, endpoint: Endpoint, key: str) -> None:
    for era in ERAS:
        with case(era):
            answers = [
                endpoint.send(message(era), headers(key, era)),
                endpoint.send(message(era), headers(None, era)),
                endpoint.send(b"{", headers(key, era)),
                endpoint.send(b"", headers(key, era), "GET"),
                endpoint.ask(key, "no/such", era=era),
            ]
            for answer in answers:
                assert answer.headers.get_list("cache-control") == ["no-store"], answer
                assert "set-cookie" not in answer.headers
                assert "mcp-session-id" not in answer.headers
