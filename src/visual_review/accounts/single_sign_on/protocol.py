"""OpenID Connect with a provider: its configuration, its tokens, and whether people still have access.

Core 1.0 and Discovery 1.0. Each request goes through the guard for hosts named by a user.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit

import jwt
import requests
from django.conf import settings
from requests.adapters import BaseAdapter

from visual_review.accounts.models import Identity, SignInProvider
from visual_review.accounts.single_sign_on.rules import Claims, ResponseInvalidError, read_claims
from visual_review.kernel.encryption import decrypt
from visual_review.kernel.errors import InvalidInputError, UnavailableError
from visual_review.kernel.outbound import OutboundError, OutboundRequest, send_to_host

DISCOVERY: Final = "/.well-known/openid-configuration"
REQUEST_SECONDS: Final = 5.0
MOST_BYTES: Final = 1024 * 1024
# Clocks of company servers can be wrong by minutes.
MOST_SKEW_SECONDS: Final = 300
# No algorithm works with the client's own secret, because others have the secret, too.
ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "EdDSA",
)
POST: Final = "client_secret_post"
OFFLINE: Final = "offline_access"
GOOGLE: Final = "https://accounts.google.com"
OTHER_ISSUER: Final = "The response came from another issuer."
TWO_PEOPLE: Final = "The provider's responses name two different people."
CLOCKS: Final = (
    f"The clocks of this service and the provider differ by more than {MOST_SKEW_SECONDS // 60} "
    "minutes. Ask the operators to correct them."
)


@dataclass(frozen=True)
class ProviderConfiguration:
    """The content of the provider's discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    end_session_endpoint: str
    has_basic_authentication: bool
    scopes: tuple[str, ...]


class GuardedTransport(BaseAdapter):
    """Carries requests of ``requests`` through the guard; redirects are never followed."""

    def send(
        self,
        request: requests.PreparedRequest,
        *_args: Any,  # noqa: ANN401 - As in requests.
        **_options: Any,  # noqa: ANN401 - As above.
    ) -> requests.Response:
        url = urlsplit(request.url or "")
        headers = {name: str(value) for name, value in request.headers.items()}
        # All bodies are forms.
        body = request.body.encode() if isinstance(request.body, str) else None
        outbound = OutboundRequest(request.method or "GET", url, headers, body)
        try:
            found = send_to_host(outbound, settings.MESSAGE_NETWORKS, REQUEST_SECONDS, MOST_BYTES)
        except (OSError, HTTPException, ValueError) as error:
            raise requests.ConnectionError(str(error) or type(error).__name__) from error
        response = requests.Response()
        response.status_code, response.url, response.request = (
            found.status,
            request.url or "",
            request,
        )
        response.headers["Content-Type"] = found.content_type
        response.raw = io.BytesIO(found.body)
        return response

    def close(self) -> None:
        """Do nothing: each request has a connection of its own."""


def guarded_session() -> requests.Session:
    """Return a session limited to public hosts over https, and allowed private networks."""
    session = requests.Session()
    # The proxy and the password file of the machine's user are for other requests.
    session.trust_env = False
    session.mount("https://", GuardedTransport())
    session.mount("http://", GuardedTransport())
    # Compressed responses would have to be inflated within the limit of their size.
    session.headers["Accept-Encoding"] = "identity"
    return session


def check_issuer(text: str) -> str:
    """Return the URL of an issuer without a trailing discovery path; raises InvalidInputError."""
    issuer = text.strip().removesuffix(DISCOVERY)
    try:
        url = urlsplit(issuer)
        is_plain = not (url.username or url.password or url.query or url.fragment)
        if url.scheme in {"https", "http"} and url.hostname and is_plain and url.port != 0:
            return issuer
    except ValueError:
        pass
    problem = "Enter the URL of the issuer, like https://login.example.com."
    raise InvalidInputError(problem, [("/issuer", problem)])


def discover(issuer: str) -> ProviderConfiguration:
    """Read the discovery document; raises UnavailableError, and InvalidInputError for a wrong one."""
    url = issuer.rstrip("/") + DISCOVERY
    document = _read_json("GET", url)
    # Another issuer's document would let its users pass as users of ``issuer`` (RFC 8414, 3.3).
    if document.get("issuer") != issuer:
        raise InvalidInputError(
            f"{url} is the document of the issuer '{document.get('issuer')}', not '{issuer}'. Enter "
            "the issuer exactly like that."
        )
    texts = {
        name: _url(document, name)
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
    }
    if missing := [name for name, text in texts.items() if not text]:
        raise InvalidInputError(f"{url} has no {' and no '.join(missing)}.")
    methods = document.get("token_endpoint_auth_methods_supported")
    scopes = document.get("scopes_supported")
    return ProviderConfiguration(
        issuer=issuer,
        **texts,
        userinfo_endpoint=_url(document, "userinfo_endpoint"),
        end_session_endpoint=_url(document, "end_session_endpoint"),
        # Without the list, the default of Discovery 1.0, section 3, holds.
        has_basic_authentication=not isinstance(methods, list) or POST not in methods,
        scopes=tuple(map(str, scopes)) if isinstance(scopes, list) else (),
    )


def _url(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) and value.startswith(("https://", "http://")) else ""


def _read_json(method: str, url: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - See requests.
    host = urlsplit(url).netloc
    try:
        with guarded_session() as session:
            response = session.request(method, url, **options)
            found = response.json()
    except (requests.RequestException, OutboundError) as error:
        raise UnavailableError(f"{host} cannot be reached: {error}") from error
    if not isinstance(found, dict):
        raise UnavailableError(f"{host} did not respond with a JSON object.")
    if response.status_code != HTTPStatus.OK:
        reason = str(found.get("error_description") or found.get("error") or response.status_code)
        raise ProviderDeclinedError(
            str(found.get("error", "")), f"{host} responded: {reason[:300]}"
        )
    return found


class ProviderDeclinedError(UnavailableError):
    """The provider responded with an error; ``code`` is a code of OAuth 2.0, or empty."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def verify_id_token(
    token: str, configuration: ProviderConfiguration, client_id: str, nonce: str | None
) -> dict[str, Any]:
    """Return the claims of an ID token; raises ResponseInvalidError (Core 1.0, section 3.1.3.7).

    A refreshed token has no ``nonce``.
    """
    try:
        key = _find_key(token, configuration.jwks_uri)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            audience=client_id,
            issuer=configuration.issuer,
            leeway=MOST_SKEW_SECONDS,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except (jwt.ImmatureSignatureError, jwt.ExpiredSignatureError) as error:
        raise ResponseInvalidError(CLOCKS) from error
    except jwt.InvalidIssuerError as error:
        raise ResponseInvalidError(OTHER_ISSUER) from error
    except jwt.InvalidAudienceError as error:
        raise ResponseInvalidError("The response was made for another application.") from error
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise ResponseInvalidError(f"The provider's response is not valid: {error}") from error
    if len(_list(claims["aud"])) > 1 and claims.get("azp") != client_id:
        raise ResponseInvalidError("The response was made for another application.")
    if nonce is not None and claims.get("nonce") != nonce:
        raise ResponseInvalidError("The response belongs to another sign-in. Start again.")
    return claims


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _find_key(token: str, jwks_uri: str) -> jwt.PyJWK:
    kid = jwt.get_unverified_header(token).get("kid")
    keys = [
        each
        for each in jwt.PyJWKSet.from_dict(_read_json("GET", jwks_uri)).keys
        if each.key_type != "oct"
    ]
    for key in keys:
        # A provider with one key may omit the key's id.
        if key.key_id == kid or (kid is None and len(keys) == 1):
            return key
    raise ResponseInvalidError(
        "The response is signed with a key that the provider does not publish."
    )


def read_claims_of(
    provider: SignInProvider,
    configuration: ProviderConfiguration,
    tokens: Mapping[str, Any],
    nonce: str | None,
) -> Claims:
    """Return the claims about a person in the tokens and the user info.

    Raises ResponseInvalidError, and UnavailableError for a provider that does not respond.
    """
    token = str(tokens.get("id_token", ""))
    found = verify_id_token(token, configuration, provider.client_id, nonce)
    if configuration.userinfo_endpoint:
        found |= _read_user_info(configuration, str(tokens["access_token"]), found["sub"])
    return read_claims(found, provider.groups_claim)


def _read_user_info(
    configuration: ProviderConfiguration, access_token: str, subject: object
) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {access_token}"}
    found = _read_json("GET", configuration.userinfo_endpoint, headers=headers)
    # Otherwise a token could be exchanged for someone else's (Core 1.0, section 5.3.4).
    if found.get("sub") != subject:
        raise ResponseInvalidError(TWO_PEOPLE)
    return found


def read_refreshed_claims(
    identity: Identity, configuration: ProviderConfiguration, tokens: Mapping[str, Any]
) -> Claims | None:
    """Return the claims about a person in refreshed tokens; None without an ID token.

    A refresh may omit the ID token (Core 1.0, section 12.2), and then claims such as the groups may
    be missing. Raises like ``read_claims_of``.
    """
    if "id_token" not in tokens:
        return None
    claims = read_claims_of(identity.provider, configuration, tokens, nonce=None)
    if claims.subject != identity.subject:
        raise ResponseInvalidError(TWO_PEOPLE)
    return claims


def refresh_tokens(
    provider: SignInProvider, configuration: ProviderConfiguration, refresh_token: str
) -> dict[str, Any]:
    """Return new tokens of a person.

    Raises ProviderDeclinedError, with ``invalid_grant`` where access has ended, and
    UnavailableError.
    """
    data = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    secret = decrypt(provider.client_secret)
    if configuration.has_basic_authentication:
        auth = (provider.client_id, secret)
        return _read_json("POST", configuration.token_endpoint, data=data, auth=auth)
    data |= {"client_id": provider.client_id, "client_secret": secret}
    return _read_json("POST", configuration.token_endpoint, data=data)
