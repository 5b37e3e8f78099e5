"""Creates the client for a connected account's Git provider; lists each kind's credentials."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from visual_review.hosts.errors import HostAccessError, HostNotAllowedError
from visual_review.hosts.gitea.host import open_gitea
from visual_review.hosts.gitea.webhooks import GiteaWebhookReader
from visual_review.hosts.github import open_github
from visual_review.hosts.github.webhooks import GitHubWebhookReader
from visual_review.hosts.gitlab.host import open_gitlab
from visual_review.hosts.gitlab.webhooks import GitLabWebhookReader
from visual_review.hosts.port import Host, WebhookReader

# Creates the client for a URL and the credentials of an account.
OpenHost = Callable[[str, Mapping[str, str]], Host]


@dataclass(frozen=True)
class HostKind:
    """``credentials`` are alternative sets of fields; each account has the fields of one set."""

    credentials: tuple[tuple[str, ...], ...]
    open: OpenHost
    webhooks: Callable[[], WebhookReader]


# Tests add a provider in memory.
HOST_KINDS: Final[dict[str, HostKind]] = {
    "github": HostKind(
        (("app_id", "private_key", "installation_id"), ("token",)), open_github, GitHubWebhookReader
    ),
    "gitlab": HostKind((("token",),), open_gitlab, GitLabWebhookReader),
    "gitea": HostKind((("token",),), open_gitea, GiteaWebhookReader),
}


def open_host(kind: str, url: str, credentials: Mapping[str, str]) -> Host:
    """Return a client for the Git provider at ``url``, without calling the provider.

    Raises HostNotAllowedError for a URL not allowed by the operator, HostAccessError for
    credentials with a missing field.
    """
    allowed = require_allowed_url(url)
    _require_kind(kind)
    _require_fields(kind, credentials)
    return HOST_KINDS[kind].open(allowed, credentials)


def webhook_reader_of(kind: str) -> WebhookReader:
    """Return the reader of webhooks of a kind; raises HostNotAllowedError for an unknown kind."""
    _require_kind(kind)
    return HOST_KINDS[kind].webhooks()


def require_allowed_url(url: str) -> str:
    """Return ``url`` as the operator wrote the URL in VISUAL_REVIEW_SOURCE_HOSTS.

    Case and a trailing slash make no difference. Raises HostNotAllowedError.
    """
    wanted = _normalize(url)
    for allowed in settings.SOURCE_HOSTS:
        if _normalize(allowed) == wanted:
            return str(allowed)
    allowed_urls = ", ".join(settings.SOURCE_HOSTS) or "none"
    raise HostNotAllowedError(
        f"This service may not call '{url[:200]}'. It may call: {allowed_urls}. To allow another "
        "URL, the operator of the service adds it to VISUAL_REVIEW_SOURCE_HOSTS."
    )


def _require_kind(kind: str) -> None:
    if kind not in HOST_KINDS:
        raise HostNotAllowedError(f"There is no kind of Git provider called '{kind[:40]}'.")


def _normalize(url: str) -> str:
    """Return the same text for URLs with no difference but case and a trailing slash."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _require_fields(kind: str, credentials: Mapping[str, str]) -> None:
    given = {name for name, value in credentials.items() if value.strip()}
    choices = HOST_KINDS[kind].credentials
    if not any(given.issuperset(fields) for fields in choices):
        wanted = ", or ".join(" and ".join(fields) for fields in choices)
        raise HostAccessError(
            f"The credentials of the account are incomplete. {kind} needs: {wanted}."
        )
