"""Deliveries in GitHub's form, filled in from the examples of GitHub's API description."""

import json
from typing import Any

from tests.support.hosts.github.fake_github import DESCRIPTION, pull_request, repository
from visual_review.hosts.port import HostPullRequest, HostRepository
from visual_review.hosts.signatures import hmac_sha256

SECRET = "the secret of a webhook"
REPOSITORY = HostRepository("1296269", "acme/web", "main")


def payload(webhook: str, **fields: object) -> dict[str, Any]:
    """Return the validated body of a webhook; ``webhook`` is a name like ``repository-renamed``."""
    user = DESCRIPTION.example("GET /user")
    sender = DESCRIPTION.example("GET /user/repos")[0]["owner"] | {"login": user["login"]}
    body = {
        "action": webhook.rpartition("-")[2],
        "repository": shown_repository(REPOSITORY),
        "sender": sender,
        **fields,
    }
    DESCRIPTION.require_delivery(webhook, body)
    return body


def shown_repository(seen: HostRepository) -> Any:  # noqa: ANN401 - What JSON can say.
    example = DESCRIPTION.example("GET /user/repos")[0]
    # Null in responses of the API and absent in deliveries.
    kept = {key: value for key, value in example.items() if key != "template_repository"}
    return repository(kept, seen)


def shown_pull_request(pull: HostPullRequest) -> Any:  # noqa: ANN401 - What JSON can say.
    example = DESCRIPTION.example("GET /repos/{owner}/{repo}/pulls/{pull_number}")
    return {**pull_request(example, pull), "merged": pull.state == "merged"}


def headers(event: str, body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-Hub-Signature-256": f"sha256={hmac_sha256(body, secret)}",
    }


def encoded(data: object) -> bytes:
    return json.dumps(data).encode()
