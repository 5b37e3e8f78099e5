"""Which part of the documentation belongs to which page of the product."""

from collections.abc import Mapping
from typing import Final

# By the name of the page's URL; the longest beginning counts, which is why areas can have one.
HELP: Final[Mapping[str, str]] = {
    "": "tutorial/first-review.md",
    "account": "how-to/accounts.md",
    "apps": "how-to/connect-mcp-clients.md",
    "audit": "how-to/accounts.md",
    "authorize": "explanation/mcp-client-sign-in.md",
    "baseline": "explanation/baselines-and-decisions.md",
    "build": "how-to/review.md",
    "channel": "how-to/messages.md",
    "failed_jobs": "how-to/host.md#failed-jobs",
    "home": "how-to/review.md",
    "invitation": "how-to/accounts.md",
    "keys": "how-to/review-with-an-agent.md",
    "mail": "how-to/messages.md",
    "github_app": "how-to/connect-git-provider.md",
    "invite_from_provider": "how-to/accounts.md#invite-from-the-git-provider",
    "member": "how-to/accounts.md",
    "mfa": "how-to/accounts.md#a-second-factor",
    "new_sign_in_provider": "how-to/single-sign-on.md",
    "outbox": "how-to/pull-requests.md",
    "owners": "how-to/owners.md",
    "recording": "how-to/recordings.md",
    "regions": "how-to/review.md",
    "repositories": "tutorial/first-review.md#2-connect-a-repository",
    "repository": "how-to/review.md",
    "repository_settings": "how-to/publish.md",
    "sign": "how-to/single-sign-on.md",
    "single_sign_on": "how-to/single-sign-on.md",
    "source_host": "how-to/connect-git-provider.md",
    "storage": "how-to/retention.md",
    "run_job_again": "how-to/host.md#failed-jobs",
    "story": "explanation/baselines-and-decisions.md",
}


def help_of(url_name: str) -> str:
    """Return the path in the documentation of what the page of this name is about."""
    return HELP[max((name for name in HELP if url_name.startswith(name)), key=len)]
