"""Creates the GitHub client for an account: its API URL, and its authentication."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.github.access import AppAccess, Installation, InstallationAccess
from visual_review.hosts.github.host import HEADERS, GitHubHost
from visual_review.hosts.http import HostClient
from visual_review.hosts.responses import RetryPolicy

_APP_FIELDS: Final = ("app_id", "installation_id", "private_key")


def open_github(
    url: str, credentials: Mapping[str, str], retry_policy: RetryPolicy | None = None
) -> GitHubHost:
    """Return the client; raises HostAccessError for a malformed token or key."""
    return open_github_api(github_api_url(url), credentials, retry_policy)


def open_github_api(
    api_url: str, credentials: Mapping[str, str], retry_policy: RetryPolicy | None = None
) -> GitHubHost:
    """Like ``open_github``, with the URL of the API itself."""
    token = credentials.get("token", "").strip()
    if token:
        access = TokenAccess("Authorization", "Bearer ", token)
        return GitHubHost(HostClient(api_url, access, HEADERS, retry_policy=retry_policy))
    app_access = AppAccess(credentials["app_id"], credentials["private_key"])
    app = HostClient(api_url, app_access, HEADERS, retry_policy=retry_policy)
    installation = Installation(app, credentials["installation_id"])
    secret = "\n".join((api_url, *(credentials[name] for name in _APP_FIELDS)))
    installation_access = InstallationAccess(installation, secret)
    return GitHubHost(
        HostClient(api_url, installation_access, HEADERS, retry_policy=retry_policy), installation
    )


def github_api_url(url: str) -> str:
    """Return the URL of the REST API of the GitHub with pages at ``url``.

    Enterprise Server has the API below its own URL, github.com and ghe.com on a separate host.
    """
    base = url.rstrip("/")
    parts = urlsplit(base)
    if parts.netloc == "github.com" or parts.netloc.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{base}/api/v3"
