"""Plain git: a machine without a known CI provider, such as a developer's own."""

import secrets

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import make_nonce

PROVIDER = "git"
SHORT_HASH = 12


def read(env: Environment, checkout: Checkout) -> CiFacts:  # noqa: ARG001 - One signature.
    """Return the facts of git; a random nonce makes every run a new build."""
    commit = checkout.resolve("HEAD")
    return CiFacts(
        PROVIDER,
        branch=checkout.branch(),
        commit=commit,
        nonce=make_nonce(PROVIDER, commit[:SHORT_HASH] or "commit", secrets.token_hex(6)),
    )
