"""Entries of the audit log as a person would say them, and the page of what they are about."""

from collections.abc import Mapping
from typing import Final

from django.urls import reverse

from visual_review.audit.models import AuditEntry

# Where the verb alone does not say it. Others are a noun and a participle: "build.approved".
_TEXTS: Final[Mapping[str, str]] = {
    "app.reuse_detected": "used a token of a connected app twice",
    "app.signed_out": "signed out of a connected app",
    "audit.expired": "deleted old entries of the audit log",
    "build.retargeted": "compared a build with another branch",
    "build.review_state_changed": "changed whether a build is approved",
    "comment.added": "commented",
    "member.joined": "joined",
    "product.capabilities_detected": "detected what the stories support",
    "repository.linked": "linked a repository to the Git provider",
    "repository.renamed": "renamed a repository at the Git provider",
    "review.requested": "asked for a review",
    "session.sign_in_failed": "failed to sign in",
    "session.signed_in": "signed in",
}
_PAGES: Final[Mapping[str, str]] = {
    "repository": "repository",
    "build": "build",
    "screenshot": "story_of_screenshot",
    "baseline": "baseline",
    "recording": "recording",
}
_PLAIN_PAGES: Final[Mapping[str, str]] = {
    "api_key": "keys",
    "member": "members",
    "membership": "members",
    "invitation": "members",
    "channel": "channels",
    "host_account": "source_host",
}


def describe_verb(verb: str) -> str:
    """Return for example "approved a build" for ``build.approved``."""
    if verb in _TEXTS:
        return _TEXTS[verb]
    noun, _, participle = verb.partition(".")
    *about, last = participle.split("_")
    noun = noun.replace("_", " ")
    if about:
        return f"{last} {' '.join(about)} of {_article(noun)}"
    return f"{last} {_article(noun)}"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def target_url(entry: AuditEntry) -> str:
    """Return the page of what was changed; empty if it has none. It may be gone by now."""
    if entry.target_kind in _PAGES:
        return reverse(_PAGES[entry.target_kind], args=[entry.target_id])
    name = _PLAIN_PAGES.get(entry.target_kind)
    return reverse(name) if name else ""
