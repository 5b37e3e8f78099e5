"""Opens GitHub for an account: where its interface is, and how it knows us."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.github.access import AppAccess, Installation, InstallationAccess
from visual_review.hosts.github.host import HEADERS, GitHubHost
from visual_review.hosts.http import HostClient
from visual_review.hosts.retries import RetryPolicy

_APP_FIELDS: Final = ("app_id", "installation_id", "private_key")


def open_github(
    address: str, credentials: Mapping[str, str], patience: RetryPolicy | None = None
) -> GitHubHost:
    """Raises HostRefusedError for a token or a key that cannot be one."""
    return open_api(api_of(address), credentials, patience)


def open_api(
    api: str, credentials: Mapping[str, str], patience: RetryPolicy | None = None
) -> GitHubHost:
    """As ``open_github``, with the address of the interface itself."""
    token = credentials.get("token", "").strip()
    if token:
        access = TokenAccess("Authorization", "Bearer ", token)
        return GitHubHost(HostClient(api, access, HEADERS, patience=patience))
    proof = AppAccess(credentials["app_id"], credentials["private_key"])
    app = HostClient(api, proof, HEADERS, patience=patience)
    installation = Installation(app, credentials["installation_id"])
    secret = "\n".join((api, *(credentials[name] for name in _APP_FIELDS)))
    by_installation = InstallationAccess(installation, secret)
    return GitHubHost(HostClient(api, by_installation, HEADERS, patience=patience), installation)


def api_of(address: str) -> str:
    """Where the interface of the GitHub with its pages at ``address`` is.

    Enterprise servers have it below their own address, GitHub's own clouds at a host of its own.
    """
    base = address.rstrip("/")
    parts = urlsplit(base)
    if parts.netloc == "github.com" or parts.netloc.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{base}/api/v3"
