"""Entries of the audit log as a person would say them, and the page of each entry's target."""

from collections.abc import Mapping
from typing import Final

from django.urls import reverse

from visual_review.audit.models import AuditEntry

# Texts for unclear verbs. Other verbs are a noun and a participle: "build.approved".
_TEXTS: Final[Mapping[str, str]] = {
    "access.ended": "ended the access of someone who left the sign-in provider",
    "app.reuse_detected": "used a token of a connected app twice",
    "app.signed_out": "signed out of a connected app",
    "audit.expired": "deleted old entries of the audit log",
    "baseline.retired": "deleted the baseline of a branch that no longer exists",
    "build.cleared": "cleared the decisions of a build",
    "build.expired": "gave up a build whose uploads never finished",
    "build.failed": "could not compare a build",
    "build.retargeted": "compared a build with another branch",
    "build.retired": "deleted a build that was kept long enough",
    "build.review_state_changed": "changed whether a build is approved",
    "channel.event_sent_again": "sent an event again",
    "charge.provider_noted": "stored a charge of the payment provider",
    "comment.added": "commented",
    "decision.undone": "undid a decision",
    "factor.added": "added a second factor",
    "factor.removed": "removed a second factor",
    "factor.renewed": "made new recovery codes",
    "group.cleared": "cleared the decisions of a group",
    "host_message.sent_again": "sent a notification again",
    "job.run_again": "ran a failed job again",
    "mail.changed": "changed what they get mail about",
    "member.joined": "joined",
    "member.role_kept": "remained an owner against their groups",
    "organization.quota_changed": "changed the limits of the organization",
    "organization.sign_in_policy_changed": "changed how members sign in",
    "password.link_created": "created a link for a new password",
    "product.capabilities_detected": "detected what the stories support",
    "product.faint_changes_changed": "changed whether faint changes count",
    "recording.failed": "could not make a recording ready",
    "recording.ready": "made a recording ready to watch",
    "recording.retired": "deleted a recording that was kept long enough",
    "repository.carry_over_changed": "changed whether approvals carry over",
    "repository.linked": "linked a repository to the Git provider",
    "repository.renamed": "renamed a repository at the Git provider",
    "review.requested": "asked for a review",
    "screenshot.cleared": "cleared the decision of a screenshot",
    "screenshots.cleared": "cleared the decisions of screenshots",
    "session.ended": "ended a session of theirs",
    "session.sign_in_failed": "failed to sign in",
    "session.sign_in_refused": "was refused at the sign-in",
    "session.signed_in": "signed in",
    "session.signed_out": "signed out",
    "user.deleted": "deleted their account",
    "story.cleared": "cleared the decisions of a story",
}
_NOUNS: Final[Mapping[str, str]] = {"api_key": "API key", "host": "Git provider"}
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
    "sign_in_provider": "sign_in_settings",
}


def describe_verb(verb: str) -> str:
    """Return for example "approved a build" for ``build.approved``."""
    if verb in _TEXTS:
        return _TEXTS[verb]
    noun, _, participle = verb.partition(".")
    *about, last = participle.split("_")
    noun = _NOUNS.get(noun, noun.replace("_", " "))
    if about:
        return f"{last} {' '.join(about)} of {_article(noun)}"
    return f"{last} {_article(noun)}"


def _article(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return f"an {noun}" if noun[0].lower() in "aeio" else f"a {noun}"


def target_url(entry: AuditEntry) -> str:
    """Return the page of the entry's target, or an empty string. The target may be gone by now."""
    if entry.target_kind in _PAGES:
        return reverse(_PAGES[entry.target_kind], args=[entry.target_id])
    name = _PLAIN_PAGES.get(entry.target_kind)
    return reverse(name) if name else ""
