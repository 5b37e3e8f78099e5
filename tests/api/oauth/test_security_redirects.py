"""Security cases of redirect URIs: only an exactly registered one gets a response."""

import json
import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.oauth.assertions import (
    assert_error_page,
    assert_nothing_registered,
    assert_token_error,
    client_with,
    flow_of,
)
from tests.support.oauth.flow import REDIRECT, Flow, Value, continue_link, register
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.models import AccessToken
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES, is_registered

GOOD = "https://good.example/callback"
LOCAL = "http://127.0.0.1:33418/callback"
PRIVATE = "cursor://anysphere.cursor-mcp/oauth/callback"

NEVER_REGISTERED = [
    ("plain http of others (OAuth 2.1, 2.3.1)", "http://good.example/callback"),
    ("plain http of a private network", "http://192.168.1.10/callback"),
    ("plain http of every address", "http://0.0.0.0:1234/callback"),
    ("another loopback address", "http://127.0.0.2:1234/callback"),
    ("loopback by one number", "http://2130706433/callback"),
    ("loopback in octal", "http://0177.0.0.1/callback"),
    ("loopback shortened", "http://127.1/callback"),
    ("loopback with a dot behind", "http://localhost./callback"),
    ("loopback written at length", "http://[0:0:0:0:0:0:0:1]/callback"),
    ("loopback with a zone", "http://[::1%25eth0]/callback"),
    ("mapped loopback", "http://[::ffff:127.0.0.1]/callback"),
    ("loopback as a user", "http://localhost@evil.example/callback"),
    ("loopback as a user, with a port", "http://localhost:80@evil.example/callback"),
    ("loopback as a beginning", "http://localhost.evil.example/callback"),
    ("loopback as a beginning, with a port", "http://127.0.0.1:80.evil.example/callback"),
    ("loopback before a backslash", "http://localhost\\.evil.example/callback"),
    ("a port beyond all", "http://localhost:99999/callback"),
    ("an empty port", "http://localhost:/callback"),
    ("a port that means any", "http://localhost:0/callback"),
    ("a fragment (RFC 6749, 3.1.2)", GOOD + "#part"),
    ("an empty fragment (RFC 6749, 3.1.2)", GOOD + "#"),
    ("a user", "https://user@good.example/callback"),
    ("a user and a password", "https://a:b@good.example/callback"),
    ("a user who looks like a host", "https://good.example@evil.example/callback"),
    ("an empty user", "https://@evil.example/callback"),
    ("a backslash that browsers read as a slash", "https://evil.example\\@good.example/"),
    ("a backslash in the host", "https://good.example\\.evil.example/"),
    ("a host after brackets", "https://[::1]evil.example/callback"),
    ("a host after brackets, with a dot", "https://[::1].evil.example/callback"),
    ("brackets of a future version", "https://[v1.evil]/callback"),
    ("brackets without an address", "https://[evil.example]/callback"),
    ("an encoded dot in the host", "https://good%2eexample/callback"),
    ("an encoded slash in the host", "https://good.example%2f.evil.example/"),
    ("a wildcard (RFC 9700, 4.1.3)", "https://*.good.example/callback"),
    ("a comma in the host", "https://good.example,evil.example/callback"),
    ("an empty label", "https://good..example/callback"),
    ("no host", "https:///callback"),
    ("one slash", "https:/good.example/callback"),
    ("no slash", "https:good.example"),
    ("an empty port of https", "https://good.example:/callback"),
    ("port zero of https", "https://good.example:0/callback"),
    ("a port of letters", "https://good.example:80x/callback"),
    ("another alphabet that looks the same", "https://g\u043eod.example/callback"),
    ("an upright full stop of another alphabet", "https://good\u3002example/callback"),
    ("a line break", "https://good.example/call\r\nLocation: https://evil.example"),
    ("a tab, which browsers leave out", "https://good.\texample/callback"),
    ("a blank, which would make two", "https://good.example/ https://evil.example/"),
    ("a blank before", " https://good.example/callback"),
    ("capitals in the scheme, another text", "HTTPS://good.example/callback"),
    ("a script", "javascript:alert(document.cookie)"),
    ("a script after a comment", "javascript://good.example/%0aalert(1)"),
    ("a document of its own", "data:text/html,<script>alert(1)</script>"),
    ("a file", "file:///etc/passwd"),
    ("a blob", "blob:https://good.example/1"),
    ("a view of the source", "view-source:https://good.example"),
    ("a mail", "mailto:evil@evil.example"),
    ("a private scheme of no known client (RFC 8252, 7.1)", "evilapp://callback"),
    ("a known scheme in capitals", "Cursor://anysphere/callback"),
    ("a known scheme without a slash", "cursor:callback"),
    ("a known scheme as a user", "cursor://user@anysphere/callback"),
    ("the old way out of band", "urn:ietf:wg:oauth:2.0:oob"),
    ("no scheme", "//good.example/callback"),
    ("a path", "/callback"),
    ("a number", 7),
    ("a list", [GOOD]),
    ("nothing", None),
    ("longer than any client needs", "https://good.example/" + "a" * 2000),
]


@pytest.mark.django_db
@pytest.mark.usefixtures("without_rate_limits")
def test_redirects_that_are_never_registered(case: Case) -> None:
    for name, redirect in NEVER_REGISTERED:
        with case(name):
            response = register(redirect_uris=[GOOD, redirect])
            assert_token_error(response, "invalid_redirect_uri")
            # Nor is the valid URI next to it registered.
            assert_nothing_registered()


@pytest.mark.django_db
def test_private_schemes_are_a_closed_list(case: Case) -> None:
    for scheme in ("myapp", "intent", "ms-settings", "tel", "ftp", "ws", "chrome"):
        with case(scheme):
            assert scheme not in PRIVATE_SCHEMES
            response = register(redirect_uris=[f"{scheme}://callback"])
            assert_token_error(response, "invalid_redirect_uri")
            assert_nothing_registered()


REQUESTED_OTHERWISE: list[tuple[str, Value]] = [
    ("another host (RFC 9700, 4.1)", "https://evil.example/callback"),
    ("ours as a beginning", "https://good.example.evil.example/callback"),
    ("ours as an end", "https://evilgood.example/callback"),
    ("a host below", "https://www.good.example/callback"),
    ("ours as a user", "https://good.example@evil.example/callback"),
    ("ours before a backslash", "https://good.example\\.evil.example/callback"),
    ("ours before a backslash and a user", "https://evil.example\\@good.example/callback"),
    ("ours before an encoded slash", "https://good.example%2f.evil.example/callback"),
    ("a dot behind the host", "https://good.example./callback"),
    ("capitals in the host", "https://GOOD.example/callback"),
    ("capitals in the scheme", "HTTPS://good.example/callback"),
    ("capitals in the path", "https://good.example/Callback"),
    ("a slash behind (RFC 9700, 4.1.3)", GOOD + "/"),
    ("two slashes", "https://good.example//callback"),
    ("a path below", GOOD + "/../evil"),
    ("a path below, encoded", GOOD + "/%2e%2e/evil"),
    ("a slash, encoded", "https://good.example%2fcallback"),
    ("a dot segment", "https://good.example/./callback"),
    ("a detour", "https://good.example/x/../callback"),
    ("a letter, encoded", "https://good.example/%63allback"),
    ("a query", GOOD + "?next=https://evil.example"),
    ("an empty query", GOOD + "?"),
    ("a fragment (RFC 6749, 3.1.2)", GOOD + "#part"),
    ("an empty fragment", GOOD + "#"),
    ("a parameter of the path", GOOD + ";x"),
    ("the usual port, named", "https://good.example:443/callback"),
    ("another port", "https://good.example:8443/callback"),
    ("plain http", "http://good.example/callback"),
    ("no scheme", "//good.example/callback"),
    ("one slash", "https:/good.example/callback"),
    ("a line break", GOOD + "\r\nSet-Cookie: x=y"),
    ("a zero byte", GOOD + "\0"),
    ("a blank behind", GOOD + " "),
    ("a blank before", " " + GOOD),
    ("two of them in one", f"{GOOD} https://evil.example/"),
    ("another alphabet", "https://g\u043eod.example/callback"),
    ("a script", "javascript:alert(1)//good.example/callback"),
    ("a document of its own", "data:text/html,https://good.example/callback"),
    ("a private scheme", "cursor://good.example/callback"),
    ("loopback by another name (RFC 8252, 8.3)", "http://localhost:33418/callback"),
    ("loopback by another address", "http://[::1]:33418/callback"),
    ("loopback under https", "https://127.0.0.1:33418/callback"),
    ("loopback at another path", "http://127.0.0.1:33418/other"),
    ("loopback with a slash behind", LOCAL + "/"),
    ("loopback with a query", LOCAL + "?x=y"),
    ("loopback with a fragment", LOCAL + "#x"),
    ("loopback as a user", "http://127.0.0.1:33418@evil.example/callback"),
    ("loopback as a beginning", "http://127.0.0.1.evil.example/callback"),
    ("loopback as a beginning, with a port", "http://127.0.0.1:1.evil.example/callback"),
    ("loopback by one number", "http://2130706433:33418/callback"),
    ("loopback at a port beyond all", "http://127.0.0.1:99999/callback"),
    ("loopback at a port that means any", "http://127.0.0.1:0/callback"),
    ("loopback at a port of another spelling", "http://127.0.0.1:05123/callback"),
    ("loopback at a port of another alphabet", "http://127.0.0.1:\u0663\u0663/callback"),
    ("a private scheme at another place", "cursor://anysphere.cursor-mcp/other"),
    ("a private scheme with a port", "cursor://anysphere.cursor-mcp:1/oauth/callback"),
    ("another private scheme", PRIVATE.replace("cursor:", "vscode:")),
    ("none, where there are three (OAuth 2.1, 4.1.1)", None),
    ("an empty one, where there are three", ""),
    ("the right one and a wrong one (RFC 6749, 3.1)", [GOOD, "https://evil.example/"]),
    ("the right one twice (RFC 6749, 3.1)", [GOOD, GOOD]),
]
OF_EACH_KIND = {
    "another host (RFC 9700, 4.1)",
    "a fragment (RFC 6749, 3.1.2)",
    "a script",
    "loopback at another path",
    "loopback at a port beyond all",
    "another private scheme",
    "none, where there are three (OAuth 2.1, 4.1.1)",
    "the right one and a wrong one (RFC 6749, 3.1)",
}


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob, GOOD, LOCAL, PRIVATE)


@pytest.mark.usefixtures("without_rate_limits")
def test_requests_with_an_unregistered_redirect_uri(
    flow: Flow, personas: Personas, case: Case
) -> None:
    for name, redirect in REQUESTED_OTHERWISE:
        with case(name):
            for response in (
                # The redirect URI is checked first: no other error may be sent there.
                flow.ask(redirect_uri=redirect, scope="nonsense", response_type="token"),
                flow.decide(personas.bob, redirect_uri=redirect),
            ):
                # A zero byte is rejected earlier, on another page.
                if "\0" in str(redirect):
                    assert response.status_code in {400, 404}
                    continue
                assert_error_page(response)


@pytest.mark.usefixtures("without_rate_limits")
def test_no_parameter_allows_another_redirect_uri(
    flow: Flow, personas: Personas, case: Case
) -> None:
    """One redirect URI of each kind with a parser of its own, with all kinds of requests."""
    for name, redirect in REQUESTED_OTHERWISE:
        if name not in OF_EACH_KIND:
            continue
        for way, response in (
            ("opened", flow.ask(redirect_uri=redirect)),
            ("with another fault", flow.ask(redirect_uri=redirect, scope="nonsense")),
            ("without a question", flow.ask(redirect_uri=redirect, prompt="none")),
            ("allowed", flow.decide(personas.bob, redirect_uri=redirect)),
            ("denied", flow.decide(personas.bob, decision="refuse", redirect_uri=redirect)),
        ):
            with case(f"{name}, {way}"):
                assert_error_page(response)


HOSTS = ("127.0.0.1", "localhost", "[::1]", "good.example")
PORTS = ("", ":80", ":443", ":33418", ":65535")
PORT = re.compile(r"(:[0-9]+)?(?=/cb)")
SCHEMES = ("http", "https")
REGISTERED = (
    "http://127.0.0.1:33418/cb",
    "http://localhost/cb",
    "http://[::1]:80/cb",
    "https://good.example/cb",
    "https://good.example:443/cb",
    "https://localhost:33418/cb",
)


def with_every_port(registered: str) -> set[str]:
    return {PORT.sub(port, registered, count=1) for port in PORTS}


def accepted_redirects(registered: str) -> set[str]:
    """RFC 8252, 7.3: any port on loopback with http; RFC 9700, 4.1.3: otherwise exact."""
    return with_every_port(registered) if registered.startswith("http:") else {registered}


def test_matrix_of_schemes_hosts_and_ports(case: Case) -> None:
    for registered in REGISTERED:
        with case(registered):
            requested = {
                f"{scheme}://{host}{port}/cb"
                for scheme, host, port in product(SCHEMES, HOSTS, PORTS)
            }
            matching = {each for each in requested if is_registered(each, [registered])}
            assert matching == accepted_redirects(registered)


@pytest.mark.usefixtures("without_rate_limits")
def test_requests_of_that_matrix(personas: Personas, case: Case) -> None:
    """Each scheme with each host, and each port, over HTTP."""
    flow = flow_of(personas.bob)
    for registered in REGISTERED:
        with case(registered):
            flow = replace(flow, client_id=client_with(registered))
            accepted = accepted_redirects(registered)
            requested = {f"{scheme}://{host}/cb" for scheme, host in product(SCHEMES, HOSTS)}
            for each in requested | with_every_port(registered):
                response = flow.ask(redirect_uri=each)
                if each in accepted:
                    assert response.status_code == 200
                else:
                    assert_error_page(response)


def test_the_response_goes_to_the_requested_port(personas: Personas) -> None:
    flow = flow_of(personas.bob, "http://localhost/cb")
    flow.redirect = "http://localhost:5123/cb"
    assert continue_link(flow.decide(personas.bob)).startswith("http://localhost:5123/cb?code=")


EXCHANGED_OTHERWISE = [
    ("another registered one (RFC 6749, 4.1.3)", GOOD),
    ("another port", "http://127.0.0.1:33419/callback"),
    ("no port", "http://127.0.0.1/callback"),
    ("another name of this machine", "http://localhost:33418/callback"),
    ("https", "https://127.0.0.1:33418/callback"),
    ("a slash behind", LOCAL + "/"),
    ("a query", LOCAL + "?"),
    ("a fragment", LOCAL + "#"),
    ("capitals", "HTTP://127.0.0.1:33418/callback"),
    ("an encoded letter", "http://127.0.0.1:33418/%63allback"),
    ("a blank behind", LOCAL + " "),
    ("a foreign one", "https://evil.example/callback"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_codes_exchanged_with_another_redirect(flow: Flow, personas: Personas, case: Case) -> None:
    flow.redirect = LOCAL
    code = flow.code(personas.bob)
    for name, redirect in EXCHANGED_OTHERWISE:
        with case(name):
            assert_token_error(flow.exchange(code, redirect_uri=redirect), "invalid_grant")
            assert not AccessToken.objects.exists()
    assert flow.exchange(code).status_code == 200


def test_redirect_uris_of_another_client_are_rejected(personas: Personas) -> None:
    client_with("https://evil.example/callback")
    flow = Flow(client_with(GOOD), signed_in(personas.bob), redirect=GOOD)
    assert_error_page(flow.ask(redirect_uri="https://evil.example/callback"))
    assert_error_page(flow.ask(redirect_uri=REDIRECT))


@pytest.mark.django_db
def test_a_thousand_redirect_uris_are_rejected() -> None:
    many: dict[str, Any] = {"redirect_uris": [f"{GOOD}/{number}" for number in range(1000)]}
    assert len(json.dumps(many)) > 16 * 1024
    assert register(**many).status_code == 413
    # Short enough for the body, and still too many.
    few = register(redirect_uris=[f"https://a.example/{number}" for number in range(21)])
    assert_token_error(few, "invalid_redirect_uri")
    assert_nothing_registered()
