"""Creates a GitHub App from a manifest; a person confirms the app at GitHub.

https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from visual_review.hosts.errors import HostMissingError, HostResponseError
from visual_review.hosts.github.factory import github_api_url
from visual_review.hosts.github.host import HEADERS
from visual_review.hosts.http import HostClient, quote_path

USED: Final = (
    "GitHub no longer knows this code: it works once, for an hour. If the app exists at GitHub, "
    "delete it there, then create it again."
)


@dataclass(frozen=True)
class CreatedApp:
    """``url`` is the app's page at GitHub; without webhooks, there is no secret."""

    app_id: str
    private_key: str
    webhook_secret: str
    url: str


class _Conversion(BaseModel):
    id: int
    pem: str
    webhook_secret: str | None = None
    html_url: str


class _NoAccess:
    """The code alone proves who asks."""

    def headers(self) -> Mapping[str, str]:
        return {}

    def renew(self) -> bool:
        return False


def create_app(url: str, code: str) -> CreatedApp:
    """Exchange the code of a confirmed manifest; raises the errors of ``hosts.errors``."""
    client = HostClient(github_api_url(url), _NoAccess(), HEADERS)
    try:
        path = quote_path("app-manifests", code, "conversions")
        made = client.send("POST", path, {}, _Conversion)
    except HostMissingError as error:
        raise HostMissingError(USED) from error
    finally:
        client.close()
    # People are sent to the page.
    if not made.html_url.startswith(f"{url.rstrip('/')}/"):
        raise HostResponseError(f"The page of the app, {made.html_url[:200]}, is not at {url}.")
    return CreatedApp(str(made.id), made.pem, made.webhook_secret or "", made.html_url)
