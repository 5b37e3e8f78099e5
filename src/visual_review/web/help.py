"""Which part of the documentation belongs to which page of the product."""

from collections.abc import Mapping
from typing import Final

# By the name of the page's URL; the longest beginning counts, so an area can have an entry.
HELP: Final[Mapping[str, str]] = {
    "": "tutorial/first-review/",
    "account": "how-to/accounts/",
    "apps": "how-to/connect-mcp-clients/",
    "audit": "how-to/accounts/",
    "authorize": "explanation/mcp-client-sign-in/",
    "baseline": "explanation/baselines-and-decisions/",
    "build": "how-to/review/",
    "channel": "how-to/messages/",
    "failed_jobs": "reference/faults/#failed-jobs",
    "home": "how-to/review/",
    "invitation": "how-to/accounts/",
    "keys": "how-to/review-with-an-agent/",
    "mail": "how-to/messages/",
    "github_app": "how-to/connect-git-provider/",
    "invite_from_provider": "how-to/accounts/#invite-from-the-git-provider",
    "member": "how-to/accounts/",
    "mfa": "how-to/accounts/#a-second-factor",
    "new_sign_in_provider": "how-to/single-sign-on/",
    "outbox": "how-to/pull-requests/",
    "owners": "how-to/owners/",
    "recording": "how-to/recordings/",
    "regions": "how-to/review/",
    "repositories": "tutorial/first-review/#2-connect-a-repository",
    "repository": "how-to/review/",
    "repository_settings": "how-to/publish/",
    "sign": "how-to/single-sign-on/",
    "single_sign_on": "how-to/single-sign-on/",
    "source_host": "how-to/connect-git-provider/",
    "storage": "how-to/retention/",
    "run_job_again": "reference/faults/#failed-jobs",
    "story": "explanation/baselines-and-decisions/",
}


def help_of(url_name: str) -> str:
    """Return the path of the documentation on the page of this name."""
    return HELP[max((name for name in HELP if url_name.startswith(name)), key=len)]
