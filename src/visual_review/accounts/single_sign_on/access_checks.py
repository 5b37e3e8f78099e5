"""Asks a provider at least hourly whether its people still have access."""

import logging
import time
from datetime import timedelta
from typing import Final

from visual_review.accounts.models import Identity, SignInProvider
from visual_review.accounts.single_sign_on.people import (
    end_access,
    renew_access,
    store_refresh_token,
)
from visual_review.accounts.single_sign_on.protocol import (
    ProviderConfiguration,
    ProviderDeclinedError,
    discover,
    read_refreshed_claims,
    refresh_tokens,
)
from visual_review.accounts.single_sign_on.rules import ResponseInvalidError, SignInRefusedError
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import decrypt
from visual_review.kernel.errors import VisualReviewError
from visual_review.kernel.queue import enqueue

CHECK_ACCESS: Final = "check_access"
# With a run every five minutes, each person is asked about within the hour.
CHECK_AFTER: Final = timedelta(minutes=45)
# Some thousand people; the next run continues, and other providers have slots of their own.
RUN_SECONDS: Final = 240.0
# The refresh token is expired or revoked (RFC 6749, section 5.2), or the person must sign in anew.
NO_ACCESS: Final = {"invalid_grant", "access_denied", "interaction_required", "login_required"}

logger = logging.getLogger(__name__)


def enqueue_checks() -> None:
    """Enqueue a job for each provider with people to ask about."""
    due = Identity.objects.filter(ended_at=None, checked_at__lt=now() - CHECK_AFTER)
    providers = due.values_list("provider_id", "provider__organization_id").distinct()
    for provider_id, organization_id in providers:
        enqueue(
            CHECK_ACCESS,
            once=f"{CHECK_ACCESS}:{provider_id}",
            provider_id=provider_id,
            organization_id=organization_id,
        )


def check_access(provider_id: str) -> None:
    """Ask about the people of a provider who are due, the longest unchecked first."""
    provider = SignInProvider.objects.select_related("organization").filter(pk=provider_id).first()
    if provider is None:
        return
    ends = time.monotonic() + RUN_SECONDS
    due = Identity.objects.filter(
        provider=provider, ended_at=None, checked_at__lt=now() - CHECK_AFTER
    ).select_related("user")
    try:
        configuration = discover(provider.issuer)
        for identity in due.order_by("checked_at").iterator():
            identity.provider = provider
            _check(identity, configuration)
            if time.monotonic() > ends:
                return
    except VisualReviewError as error:
        # An unreachable provider takes no one's access; the next run asks again.
        logger.warning("The access of people at %s was not checked: %s", provider.issuer, error)


def _check(identity: Identity, configuration: ProviderConfiguration) -> None:
    try:
        refresh_token = decrypt(identity.refresh_token)
        tokens = refresh_tokens(identity.provider, configuration, refresh_token)
        # Where each refresh replaces the token, the old one never works again, whatever follows.
        if replacement := str(tokens.get("refresh_token") or ""):
            store_refresh_token(identity, replacement)
        renew_access(identity, read_refreshed_claims(identity, configuration, tokens))
    except (ResponseInvalidError, ProviderDeclinedError) as error:
        if isinstance(error, ProviderDeclinedError) and error.code in NO_ACCESS:
            end_access(identity, str(error))
        else:
            # A wrong clock or a busy provider is no one's fault; the next run asks again.
            logger.warning("The access of %s was not checked: %s", identity.user_id, error)
    except SignInRefusedError as error:
        end_access(identity, str(error))
