"""Signs a person in with the browser, and keeps the tokens of each server.

OAuth's code flow for native apps: PKCE (RFC 7636) and a redirect to the loopback interface (RFC
8252). Tokens are rotated with each renewal, so only one process at a time may renew them.
"""

import base64
import hashlib
import json
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from filelock import FileLock
from platformdirs import user_config_path

from visual_review.client.transport.connection import validate_base_url
from visual_review.client.transport.errors import InputError, ServiceError, expect_schema

FILE_VARIABLE: Final = "VISUAL_REVIEW_TOKEN_FILE"
LOOPBACK: Final = "127.0.0.1"
CALLBACK: Final = "/callback"
SCOPE: Final = "read"
SECONDS: Final = 20.0
PERSON_SECONDS: Final = 300.0
# A token is renewed this many seconds before it expires, as a call may take a while.
MARGIN_SECONDS: Final = 60.0
SIGN_IN: Final = "Sign in with `visual-review login`."
DONE_PAGE: Final = b"<!doctype html><title>Signed in</title><p>You can close this page."
FAILED_PAGE: Final = b"<!doctype html><title>Not signed in</title><p>The sign-in did not succeed."


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one server; ``expires_at`` is in seconds since 1970."""

    client_id: str
    access_token: str
    refresh_token: str
    expires_at: float


class TokenFile:
    """A file with mode 0600, mapping the URLs of servers to tokens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = FileLock(f"{path}.lock")

    def read(self, server: str) -> Tokens | None:
        found = self._read_all().get(server)
        try:
            return None if found is None else Tokens(**found)
        except TypeError:
            return None

    def write(self, server: str, tokens: Tokens) -> None:
        """Replace the tokens of a server. Raises InputError where the file cannot be written."""
        temporary = ""
        try:
            # Others must neither read the file nor replace it.
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            everything = {**self._read_all(), server: asdict(tokens)}
            # Temporary files have mode 0600 from the start.
            with tempfile.NamedTemporaryFile(
                "w", dir=self.path.parent, delete=False, encoding="utf-8"
            ) as file:
                temporary = file.name
                json.dump(everything, file, indent=1)
            Path(temporary).replace(self.path)
        except OSError as error:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise InputError(
                f"{self.path} cannot be written: {error.strerror}. Set {FILE_VARIABLE} to a file that "
                "can."
            ) from error

    def _read_all(self) -> dict[str, Any]:
        try:
            body = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return body if isinstance(body, dict) else {}


def open_token_file(environment: Mapping[str, str]) -> TokenFile:
    named = environment.get(FILE_VARIABLE, "").strip()
    folder = user_config_path("visual-review", appauthor=False)
    return TokenFile(Path(named) if named else folder / "tokens.json")


class StoredSignIn:
    """Gives the current access token of a server, and renews the token in time."""

    def __init__(self, server: str, file: TokenFile) -> None:
        self._server = validate_base_url(server)
        self._file = file

    def exists(self) -> bool:
        return self._file.read(self._server) is not None

    def __call__(self) -> str:
        """Raises InputError without a sign-in, or after the end of the sign-in."""
        tokens = self._file.read(self._server)
        if tokens is not None and tokens.expires_at > time.time() + MARGIN_SECONDS:
            return tokens.access_token
        try:
            self._file.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._file.lock:
                return self._renew().access_token
        except OSError as error:
            raise InputError(
                f"{self._file.path} cannot be locked: {error.strerror}. {SIGN_IN}"
            ) from error

    def _renew(self) -> Tokens:
        # Another process may have renewed the tokens while this process waited.
        tokens = self._file.read(self._server)
        if tokens is None:
            raise InputError(f"You are not signed in to {self._server}. {SIGN_IN}")
        if tokens.expires_at > time.time() + MARGIN_SECONDS:
            return tokens
        renewed = request_tokens(
            find_endpoints(self._server)["token_endpoint"],
            tokens.client_id,
            grant_type="refresh_token",
            refresh_token=tokens.refresh_token,
        )
        self._file.write(self._server, renewed)
        return renewed


def sign_in(server: str, file: TokenFile, open_browser: Callable[[str], object]) -> None:
    """Let the person sign in with the browser, and store the tokens.

    ``open_browser`` gets the URL of the page. Raises InputError and ServiceError.
    """
    server = validate_base_url(server)
    endpoints = find_endpoints(server)
    client_id = _register(endpoints["registration_endpoint"])
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
    with _Callback() as callback:
        challenge = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": callback.url,
            "scope": SCOPE,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        open_browser(f"{endpoints['authorization_endpoint']}?{urlencode(query)}")
        code = callback.wait(state, endpoints["issuer"])
    tokens = request_tokens(
        endpoints["token_endpoint"],
        client_id,
        grant_type="authorization_code",
        code=code,
        redirect_uri=callback.url,
        code_verifier=verifier,
    )
    with file.lock:
        file.write(server, tokens)


def find_endpoints(server: str) -> Mapping[str, str]:
    """Return the server's OAuth endpoints (RFC 8414). Raises InputError for another issuer."""
    body = _exchange("GET", f"{server}/.well-known/oauth-authorization-server", server)
    names = ("issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint")
    with expect_schema("sign-in"):
        found = {name: str(body[name]) for name in names}
    # Otherwise the tokens of one server could be asked for in the name of another one.
    if found["issuer"].rstrip("/") != server:
        raise InputError(f"The server at {server} is called {found['issuer']}. Use that URL.")
    return found


def _register(endpoint: str) -> str:
    """Register this installation as a client (RFC 7591), and return the client ID."""
    client = {
        "client_name": f"visual-review on {socket.gethostname()}"[:80],
        "redirect_uris": [f"http://{LOOPBACK}{CALLBACK}"],
        "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": "none",
    }
    body = _exchange("POST", endpoint, endpoint, json=client)
    with expect_schema("registration"):
        return str(body["client_id"])


def request_tokens(endpoint: str, client_id: str, **form: str) -> Tokens:
    """Raises InputError if the server does not accept the code or the token."""
    body = _exchange("POST", endpoint, endpoint, data={"client_id": client_id, **form})
    with expect_schema("tokens"):
        return Tokens(
            client_id,
            str(body["access_token"]),
            str(body["refresh_token"]),
            time.time() + float(body["expires_in"]),
        )


def _exchange(method: str, url: str, where: str, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - What httpx takes.
    try:
        response = httpx.request(method, url, timeout=SECONDS, **request)
        body = response.json()
    except httpx.HTTPError as error:
        raise ServiceError(
            f"{where} cannot be reached: {error or type(error).__name__}."
        ) from error
    except ValueError as error:
        raise ServiceError(f"{where} does not respond like Visual Review.") from error
    if not response.is_success or not isinstance(body, dict):
        reason = (
            body.get("error_description") or body.get("error") if isinstance(body, dict) else ""
        )
        raise InputError(
            f"{where} did not accept the sign-in (status {response.status_code}): "
            f"{reason or 'no reason given'}. {SIGN_IN}"
        )
    return body


class _Callback:
    """Waits on the loopback interface for the browser to come back with a code."""

    def __init__(self) -> None:
        self._received: list[dict[str, str]] = []
        received = self._received

        class Handler(BaseHTTPRequestHandler):
            # Browsers may open connections without using them.
            timeout = SECONDS

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                is_ours = parts.path == CALLBACK
                self.send_response(200 if is_ours else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(DONE_PAGE if is_ours and "code=" in parts.query else FAILED_PAGE)
                # Appended last, since the command may end as soon as the code is received.
                if is_ours:
                    received.append({name: each[0] for name, each in parse_qs(parts.query).items()})

            def log_message(self, *_: object) -> None:
                """Print nothing: the URL contains the code."""

        self._server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self._server.timeout = 0.5

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_port}{CALLBACK}"

    def wait(self, state: str, issuer: str) -> str:
        """Return the code. Raises InputError if the person declines, or does not come back."""
        deadline = time.monotonic() + PERSON_SECONDS
        while time.monotonic() < deadline:
            self._server.handle_request()
            while self._received:
                response = self._received.pop(0)
                # Any page can send the browser here, but does not know the state.
                if not secrets.compare_digest(response.get("state", ""), state):
                    continue
                if response.get("iss", issuer) != issuer:
                    raise InputError("The response to the sign-in is of another server.")
                if "code" not in response:
                    reason = response.get("error_description") or response.get("error", "no code")
                    raise InputError(f"The sign-in was not confirmed: {reason}.")
                return response["code"]
        raise InputError("The sign-in was not confirmed in time. Run `visual-review login` again.")
