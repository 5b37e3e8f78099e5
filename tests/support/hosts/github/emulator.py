"""The npm package ``emulate``, a third-party emulator of GitHub, in its own process."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx

from tests.support.node_process import node_process

PERSON: Final = "acme"
TOKEN: Final = "token-of-acme"
OTHER: Final = "eve"
OTHER_TOKEN: Final = "token-of-eve"
APP_ID: Final = "12345"
INSTALLATION: Final = "100"
WEBHOOK_SECRET: Final = "the secret of the webhook"
REPOSITORIES: Final = 103
ORGANIZATION: Final = "acme-company"
# More than a page of people.
MEMBERS: Final = [
    {"login": f"person-{number}", "name": f"Person {number}", "email": f"p{number}@example.com"}
    for number in range(40)
]
ORGANIZATION_INSTALLATION: Final = "200"


@dataclass(frozen=True)
class Emulator:
    """``address`` is the URL of the API, ``key`` the private key of the app."""

    address: str
    key: str
    person: httpx.Client

    def call(self, method: str, path: str, token: str = TOKEN, **body: object) -> Any:  # noqa: ANN401 - What JSON can say.
        """Call the API as a person, without our adapter."""
        headers = {"Authorization": f"Bearer {token}"}
        response = self.person.request(method, path, headers=headers, json=body)
        response.raise_for_status()
        return response.json() if response.content else None

    def add_team(self, name: str, *logins: str) -> str:
        """Create a team of the organization; return its slug."""
        path = f"orgs/{ORGANIZATION}/teams"
        slug = str(self.call("POST", path, name=name)["slug"])
        for login in logins:
            self.call("PUT", f"{path}/{slug}/memberships/{login}", role="member")
        return slug

    def open_pull_request(self, name: str, branch: str) -> Any:  # noqa: ANN401 - What JSON can say.
        """Create a branch with its own commit, and open a pull request from the branch."""
        main = self.call("GET", f"repos/{name}/git/ref/heads/main")["object"]["sha"]
        tree = self.call("GET", f"repos/{name}/git/commits/{main}")["tree"]["sha"]
        commit = self.call(
            "POST", f"repos/{name}/git/commits", message=branch, tree=tree, parents=[main]
        )
        ref = f"refs/heads/{branch}"
        self.call("POST", f"repos/{name}/git/refs", ref=ref, sha=commit["sha"])
        return self.call("POST", f"repos/{name}/pulls", title=branch, head=branch, base="main")


@contextmanager
def github_emulator(webhooks: str) -> Iterator[Emulator]:
    """Run the emulator until the block ends; the app's webhooks go to the URL ``webhooks``."""
    with (
        node_process("github.mjs", json.dumps(_seed(webhooks))) as (_, started),
        httpx.Client(base_url=started["url"], timeout=60) as person,
    ):
        yield Emulator(started["url"], started["key"], person)


def _seed(webhooks: str) -> Mapping[str, object]:
    names = ["web", *(f"part-{number}" for number in range(1, REPOSITORIES))]
    app = {
        "app_id": int(APP_ID),
        "slug": "visual-review",
        "name": "Visual Review",
        "permissions": {"contents": "write", "issues": "write", "pull_requests": "write"},
        "events": ["pull_request", "repository", "delete"],
        "webhook_url": webhooks,
        "webhook_secret": WEBHOOK_SECRET,
        "installations": [
            {
                "installation_id": int(INSTALLATION),
                "account": PERSON,
                "repository_selection": "all",
            },
            {
                "installation_id": int(ORGANIZATION_INSTALLATION),
                "account": ORGANIZATION,
                "repository_selection": "all",
            },
        ],
    }
    return {
        "tokens": {
            TOKEN: {"login": PERSON, "scopes": ["repo", "user"]},
            OTHER_TOKEN: {"login": OTHER, "scopes": ["repo", "user"]},
        },
        "github": {
            "users": [{"login": PERSON}, {"login": OTHER}, *MEMBERS],
            "orgs": [{"login": ORGANIZATION, "members": [*MEMBERS, {"login": PERSON}]}],
            "repos": [{"owner": PERSON, "name": name, "auto_init": True} for name in names],
            "apps": [app],
        },
    }
