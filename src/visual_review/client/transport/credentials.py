"""What a CI job proves itself with: the project token, or the identity its provider gives it."""

import base64
import json
import time
from collections.abc import Callable, Generator, Mapping
from threading import Lock
from typing import Final

import httpx

from visual_review.client.transport.errors import InputError, ServiceError
from visual_review.client.transport.retry import RetryPolicy, send

Credential = Callable[[], str]
# GitHub offers a job with 'permissions: id-token: write' an address that gives tokens.
GITHUB_URL: Final = "ACTIONS_ID_TOKEN_REQUEST_URL"
GITHUB_TOKEN: Final = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"  # noqa: S105 - The name of a variable.
# GitLab gives a job the tokens that its 'id_tokens' name.
GITLAB_TOKEN: Final = "VISUAL_REVIEW_ID_TOKEN"  # noqa: S105 - As above.
# Needed only where two organizations of a service have the same repository.
REPOSITORY: Final = "VISUAL_REVIEW_REPOSITORY"
# A token without a readable end is asked for anew this often.
UNKNOWN_SECONDS: Final = 60.0
SECONDS: Final = 20.0
DEFAULT_RETRY_POLICY: Final = RetryPolicy(attempts=4)


class BearerAuth(httpx.Auth):
    """Puts the credential into each request, as it is at that moment."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._credential()}"
        yield request


def audience_of(base_url: str, environment: Mapping[str, str]) -> str:
    """Whom a token is asked for: the service, or one repository there where its id is given."""
    repository = environment.get(REPOSITORY, "").strip()
    return f"{base_url}/repositories/{repository}" if repository else base_url


def identity_offered(environment: Mapping[str, str], audience: str) -> Credential | None:
    """The identity of this job for a service at ``audience``, where its CI offers one.

    Raises InputError for a text that no header can carry: libraries quote it in their errors.
    """
    given = environment.get(GITLAB_TOKEN, "").strip()
    if given:
        if not given.isascii() or not given.isprintable() or " " in given:
            raise InputError(
                f"The value of {GITLAB_TOKEN} is no identity token. Was it cut or quoted?"
            )
        return lambda: given
    address, token = environment.get(GITHUB_URL, ""), environment.get(GITHUB_TOKEN, "")
    if address and token:
        return GitHubIdentity(address, token, audience)
    return None


class GitHubIdentity:
    """Asks GitHub for a token of this job, and again before it ends; for several threads."""

    def __init__(
        self,
        address: str,
        request_token: str,
        audience: str,
        patience: RetryPolicy = DEFAULT_RETRY_POLICY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {request_token}"}
        self._audience = audience
        self._patience = patience
        self._clock = clock
        self._lock = Lock()
        self._token, self._until = "", 0.0

    def __call__(self) -> str:
        # Uploads of several threads share one token.
        with self._lock:
            if self._clock() >= self._until:
                self._token = self._asked()
                self._until = self._renewal(self._token)
            return self._token

    def _asked(self) -> str:
        try:
            # The address has a query of its own, which 'params' would replace.
            url = httpx.URL(self._address).copy_add_param("audience", self._audience)
            response = send(
                lambda: httpx.get(url, headers=self._headers, timeout=SECONDS),
                self._patience,
                lambda _reason, _pause: None,
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"GitHub did not give this job an identity token: {error or type(error).__name__}."
            ) from error
        token = _value_in(response)
        if not token:
            raise ServiceError(
                "GitHub did not give this job an identity token (status "
                f"{response.status_code}). Give the job 'permissions: id-token: write', or set "
                "UI_REVIEW_TOKEN."
            )
        return token

    def _renewal(self, token: str) -> float:
        """When half of the time that is left has passed: clocks differ, and uploads take long."""
        moment = self._clock()
        end = end_of(token)
        return moment + (UNKNOWN_SECONDS if end is None else max((end - moment) / 2, 0.0))


def end_of(token: str) -> float | None:
    """When a JSON Web Token ends, in seconds since 1970; None where it cannot be told."""
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return float(claims["exp"])
    except (IndexError, ValueError, TypeError, KeyError):
        return None


def _value_in(response: httpx.Response) -> str:
    try:
        value = response.json()["value"] if response.is_success else ""
    except (ValueError, TypeError, KeyError):
        return ""
    return value if isinstance(value, str) else ""
