"""Plain git: a machine without a known CI provider, a person's own included."""

import secrets

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import nonce_of

PROVIDER = "git"
SHORT_HASH = 12


def read(env: Environment, checkout: Checkout) -> CiFacts:  # noqa: ARG001 - One signature.
    """Every run is a new build, hence the random end of the nonce."""
    commit = checkout.resolve("HEAD")
    return CiFacts(
        PROVIDER,
        branch=checkout.branch(),
        commit=commit,
        nonce=nonce_of(PROVIDER, commit[:SHORT_HASH] or "commit", secrets.token_hex(6)),
    )
