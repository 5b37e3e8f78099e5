"""Creates the client for a connected account's Git provider; lists each kind's credentials."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar
from urllib.parse import urlsplit

from django.conf import settings

from visual_review.hosts.errors import HostAccessError, HostNotAllowedError
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.gitea.webhooks import GiteaWebhookReader
from visual_review.hosts.github import GitHubWebhookReader, open_github
from visual_review.hosts.gitlab.host import GitLabHost, gitlab_client
from visual_review.hosts.gitlab.webhooks import GitLabWebhookReader
from visual_review.hosts.memory import MemoryHost, MemoryWebhookReader, world_of
from visual_review.hosts.port import Host, WebhookReader

Entry = TypeVar("Entry")

# For each kind the sets of fields; an account has one of them.
CREDENTIAL_FIELDS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "github": (("app_id", "private_key", "installation_id"), ("token",)),
    "gitlab": (("token",),),
    "gitea": (("token",),),
    "memory": (("token",),),
}


def open_host(kind: str, url: str, credentials: Mapping[str, str]) -> Host:
    """Return a client for the Git provider at ``url``, without calling it.

    Raises HostNotAllowedError for a URL that the operator has not allowed, HostAccessError for
    credentials that lack a field.
    """
    allowed = require_allowed_url(url)
    create_host = _look_up(_FACTORIES, kind)
    _require_fields(kind, credentials)
    return create_host(allowed, credentials)


def webhook_reader_of(kind: str) -> WebhookReader:
    """Return the reader of this kind's webhooks; raises HostNotAllowedError for an unknown one."""
    return _look_up(_WEBHOOK_READERS, kind)


def require_allowed_url(url: str) -> str:
    """Return ``url`` as the operator wrote it in VISUAL_REVIEW_SOURCE_HOSTS.

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


def _look_up(table: Mapping[str, Entry], kind: str) -> Entry:
    try:
        return table[kind]
    except KeyError:
        raise HostNotAllowedError(
            f"There is no kind of Git provider called '{kind[:40]}'."
        ) from None


def _normalize(url: str) -> str:
    """Return the same text for URLs that differ only in case and a trailing slash."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _require_fields(kind: str, credentials: Mapping[str, str]) -> None:
    given = {name for name, value in credentials.items() if value.strip()}
    choices = CREDENTIAL_FIELDS[kind]
    if not any(given.issuperset(fields) for fields in choices):
        wanted = ", or ".join(" and ".join(fields) for fields in choices)
        raise HostAccessError(
            f"The credentials of the account are incomplete. {kind} needs: {wanted}."
        )


def _create_memory_host(url: str, credentials: Mapping[str, str]) -> Host:
    return MemoryHost(world_of(url), credentials["token"])


def _create_gitlab_host(url: str, credentials: Mapping[str, str]) -> Host:
    return GitLabHost(gitlab_client(url, credentials["token"]))


def _create_gitea_host(url: str, credentials: Mapping[str, str]) -> Host:
    return GiteaHost(gitea_client(url, credentials["token"]))


_FACTORIES: Final[Mapping[str, Callable[[str, Mapping[str, str]], Host]]] = {
    "github": open_github,
    "gitlab": _create_gitlab_host,
    "gitea": _create_gitea_host,
    "memory": _create_memory_host,
}
_WEBHOOK_READERS: Final[Mapping[str, WebhookReader]] = {
    "github": GitHubWebhookReader(),
    "gitlab": GitLabWebhookReader(),
    "gitea": GiteaWebhookReader(),
    "memory": MemoryWebhookReader(),
}
