"""The request for an event at each kind of channel; pure."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from visual_review.kernel.clock import rfc3339

WEBHOOK: Final = "webhook"
SLACK: Final = "slack"
TEAMS: Final = "teams"
KINDS: Final = {WEBHOOK: "Webhook", SLACK: "Slack", TEAMS: "Microsoft Teams"}
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - As Standard Webhooks writes secrets.


@dataclass(frozen=True)
class EventFacts:
    """The sent facts of an event, the same at each attempt."""

    key: str
    type: str
    version: int
    created_at: datetime
    data: Mapping[str, Any]


def webhook_request(
    event: EventFacts, secrets: Sequence[str], moment: datetime
) -> tuple[dict[str, str], bytes]:
    """Return headers and body in the form of Standard Webhooks 1.0, signed with each secret.

    Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    """
    document = {
        "id": event.key,
        "type": event.type,
        "version": event.version,
        "createdAt": rfc3339(event.created_at),
        "data": event.data,
    }
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    timestamp = str(int(moment.timestamp()))
    headers = {
        "webhook-id": event.key,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_sign(each, event.key, timestamp, body) for each in secrets),
    }
    return headers, body


def chat_request(kind: str, event: EventFacts) -> tuple[dict[str, str], bytes]:
    """Return the message of a build for Slack or Teams."""
    content = _slack(event) if kind == SLACK else _teams(event)
    return {}, json.dumps(content).encode()


def _sign(secret: str, key: str, timestamp: str, body: bytes) -> str:
    raw = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(raw, b".".join((key.encode(), timestamp.encode(), body)), hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"


def describe_build(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of an event's build, and a line about the build; names may be anything."""
    pull_request = f", pull request {data['pullRequest']}" if data["pullRequest"] else ""
    counts = ", ".join(f"{count} {name}" for name, count in data["counts"].items() if count)
    name = f"{data['repository']['name']} build #{data['number']}"
    return name, f"{data['branch']}{pull_request}: {counts or 'no differences'}"


def _headline(event: EventFacts) -> tuple[str, str]:
    """Return the title and the line below."""
    data = event.data
    state = {"approved": "approved", "rejected": "rejected"}.get(
        data["reviewState"], "needs review"
    )
    by = f" by {data['decidedBy']}" if data.get("decidedBy") else ""
    name, line = describe_build(data)
    return f"{name} {state}{by}", line


def _slack(event: EventFacts) -> dict[str, Any]:
    title, line = (_escape(text) for text in _headline(event))
    url = event.data["url"]
    button = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Open the review"},
        "url": url,
    }
    images = [
        {"type": "image", "image_url": each["url"], "alt_text": each["name"][:2000]}
        for each in event.data["images"]
    ]
    section = {"type": "section", "text": {"type": "mrkdwn", "text": f"*{title}*\n{line}"}}
    return {"text": title, "blocks": [section, *images, {"type": "actions", "elements": [button]}]}


def _escape(text: str) -> str:
    """Return text shown literally by Slack: no link, mention or style."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A zero-width space keeps Slack from reading the character as a style.
    return "".join(f"\u200b{each}" if each in "*_~`" else each for each in plain)


def _teams(event: EventFacts) -> dict[str, Any]:
    title, line = _headline(event)
    images = [
        {"type": "Image", "url": each["url"], "altText": each["name"]}
        for each in event.data["images"]
    ]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            # Runs of text have no Markdown.
            _text(title, weight="Bolder"),
            _text(line),
            *images,
        ],
        "actions": [
            {"type": "Action.OpenUrl", "title": "Open the review", "url": event.data["url"]}
        ],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [content]}


def _text(text: str, **style: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}
