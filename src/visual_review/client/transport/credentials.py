"""Credentials of a CI job: the project token, or an identity token of the CI provider."""

import base64
import json
import time
from collections.abc import Callable, Generator, Mapping
from threading import Lock
from typing import Final

import httpx

from visual_review.client.transport.errors import InputError, ServiceError
from visual_review.client.transport.retry import RetryPolicy, send_with_retry

Credential = Callable[[], str]
# GitHub gives a job with 'permissions: id-token: write' a URL to request tokens from.
GITHUB_URL: Final = "ACTIONS_ID_TOKEN_REQUEST_URL"
GITHUB_TOKEN: Final = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"  # noqa: S105 - The name of a variable.
# GitLab gives a job the tokens defined under 'id_tokens'.
GITLAB_TOKEN: Final = "VISUAL_REVIEW_ID_TOKEN"  # noqa: S105 - As above.
# The ID of the repository in the service: identity tokens must name this ID in the audience.
REPOSITORY: Final = "VISUAL_REVIEW_REPOSITORY"
# Seconds between requests for a token without a readable expiry.
UNKNOWN_SECONDS: Final = 60.0
SECONDS: Final = 20.0
DEFAULT_RETRY_POLICY: Final = RetryPolicy(attempts=4)


class BearerAuth(httpx.Auth):
    """Adds the current credential to each request."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._credential()}"
        yield request


def token_audience(base_url: str, environment: Mapping[str, str]) -> str:
    """Return the audience of a token: the service, or one repository if an ID is given."""
    repository = environment.get(REPOSITORY, "").strip()
    return f"{base_url}/repositories/{repository}" if repository else base_url


def find_identity_token(environment: Mapping[str, str], audience: str) -> Credential | None:
    """Return the identity token of this job for ``audience``, if the CI provides one.

    Raises InputError for a token not allowed in a header, since libraries would log the token.
    """
    gitlab_token = environment.get(GITLAB_TOKEN, "").strip()
    if gitlab_token:
        if not _fits_header(gitlab_token):
            raise InputError(
                f"The value of {GITLAB_TOKEN} is not an identity token. Is it truncated or quoted?"
            )
        return lambda: gitlab_token
    url, token = environment.get(GITHUB_URL, ""), environment.get(GITHUB_TOKEN, "")
    if url and token:
        return GitHubIdentity(url, token, audience)
    return None


def _fits_header(token: str) -> bool:
    return token.isascii() and token.isprintable() and " " not in token


class GitHubIdentity:
    """Requests a token of this job from GitHub and renews the token in time; thread-safe."""

    def __init__(
        self,
        url: str,
        request_token: str,
        audience: str,
        retry_policy: RetryPolicy = DEFAULT_RETRY_POLICY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {request_token}"}
        self._audience = audience
        self._retry_policy = retry_policy
        self._clock = clock
        self._lock = Lock()
        self._token, self._renew_at = "", 0.0

    def __call__(self) -> str:
        # Uploads of several threads share one token.
        with self._lock:
            if self._clock() >= self._renew_at:
                self._token = self._request_token()
                self._renew_at = self._renewal_time(self._token)
            return self._token

    def _request_token(self) -> str:
        try:
            # The URL has its own query, and 'params' would replace the query.
            url = httpx.URL(self._url).copy_add_param("audience", self._audience)
            response = send_with_retry(
                lambda: httpx.get(url, headers=self._headers, timeout=SECONDS),
                self._retry_policy,
                lambda _reason, _pause: None,
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"GitHub did not give this job an identity token: {error or type(error).__name__}."
            ) from error
        token = _read_token(response)
        if not token:
            raise ServiceError(
                "GitHub did not give this job an identity token (status "
                f"{response.status_code}). Give the job 'permissions: id-token: write', or set "
                "UI_REVIEW_TOKEN."
            )
        return token

    def _renewal_time(self, token: str) -> float:
        """Return when half of the remaining time has passed: clocks differ, uploads take long."""
        now = self._clock()
        expiry = token_expiry(token)
        return now + (UNKNOWN_SECONDS if expiry is None else max((expiry - now) / 2, 0.0))


def token_expiry(token: str) -> float | None:
    """Return when a JSON Web Token expires, in seconds since 1970; None if unreadable."""
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return float(claims["exp"])
    except (IndexError, ValueError, TypeError, KeyError):
        return None


def _read_token(response: httpx.Response) -> str:
    try:
        value = response.json()["value"] if response.is_success else ""
    except (ValueError, TypeError, KeyError):
        return ""
    return value if isinstance(value, str) else ""
