"""Opens the source host of a connected account, and knows what each kind wants to know of us."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar
from urllib.parse import urlsplit

from django.conf import settings

from visual_review.hosts.errors import HostAccessError, HostNotAllowedError
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.gitea.webhooks import GiteaDeliveries
from visual_review.hosts.github import GitHubDeliveries, open_github
from visual_review.hosts.gitlab.host import GitLabHost, gitlab_client
from visual_review.hosts.gitlab.webhooks import GitLabDeliveries
from visual_review.hosts.memory import MemoryDeliveries, MemoryHost, world_of
from visual_review.hosts.port import Deliveries, Host

Known = TypeVar("Known")

# For each kind the sets of fields, of which an account has one.
CREDENTIAL_FIELDS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "github": (("app_id", "private_key", "installation_id"), ("token",)),
    "gitlab": (("token",),),
    "gitea": (("token",),),
    "memory": (("token",),),
}


def open_host(kind: str, address: str, credentials: Mapping[str, str]) -> Host:
    """The host at ``address``; nothing is called yet.

    Raises HostNotAllowedError for an address the operator did not name, HostRefusedError for
    credentials that lack a field.
    """
    allowed = granted_url(address)
    opener = _known(_OPENERS, kind)
    _require_fields(kind, credentials)
    return opener(allowed, credentials)


def deliveries_of(kind: str) -> Deliveries:
    """What reads the webhooks of this kind; raises HostNotAllowedError for an unknown one."""
    return _known(_DELIVERIES, kind)


def granted_url(address: str) -> str:
    """``address`` as the operator wrote it in VISUAL_REVIEW_SOURCE_HOSTS.

    Case and a slash at the end make no difference. Raises HostNotAllowedError.
    """
    wanted = _comparable(address)
    for allowed in settings.SOURCE_HOSTS:
        if _comparable(allowed) == wanted:
            return str(allowed)
    known = ", ".join(settings.SOURCE_HOSTS) or "none"
    raise HostNotAllowedError(
        f"This service may not call '{address[:200]}'. It may call: {known}. Whoever runs the "
        "service allows another by adding it to VISUAL_REVIEW_SOURCE_HOSTS."
    )


def _known(table: Mapping[str, Known], kind: str) -> Known:
    try:
        return table[kind]
    except KeyError:
        raise HostNotAllowedError(
            f"There is no kind of source host called '{kind[:40]}'."
        ) from None


def _comparable(address: str) -> str:
    """Equal for addresses that differ only in case and a slash at the end."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return address
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _require_fields(kind: str, credentials: Mapping[str, str]) -> None:
    given = {name for name, value in credentials.items() if value.strip()}
    choices = CREDENTIAL_FIELDS[kind]
    if not any(given.issuperset(fields) for fields in choices):
        wanted = ", or ".join(" and ".join(fields) for fields in choices)
        raise HostAccessError(f"The account lacks what {kind} asks for: {wanted}.")


def _open_memory(address: str, credentials: Mapping[str, str]) -> Host:
    return MemoryHost(world_of(address), credentials["token"])


def _open_gitlab(address: str, credentials: Mapping[str, str]) -> Host:
    return GitLabHost(gitlab_client(address, credentials["token"]))


def _open_gitea(address: str, credentials: Mapping[str, str]) -> Host:
    return GiteaHost(gitea_client(address, credentials["token"]))


_OPENERS: Final[Mapping[str, Callable[[str, Mapping[str, str]], Host]]] = {
    "github": open_github,
    "gitlab": _open_gitlab,
    "gitea": _open_gitea,
    "memory": _open_memory,
}
_DELIVERIES: Final[Mapping[str, Deliveries]] = {
    "github": GitHubDeliveries(),
    "gitlab": GitLabDeliveries(),
    "gitea": GiteaDeliveries(),
    "memory": MemoryDeliveries(),
}
