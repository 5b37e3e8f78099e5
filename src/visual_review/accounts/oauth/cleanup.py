"""Deletes expired sessions, codes and tokens, then the families, grants and clients left empty."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from visual_review.accounts.models import AccessToken, Grant, RefreshToken, Session, TokenFamily
from visual_review.accounts.oauth.clients import delete_unused_clients
from visual_review.kernel.clock import now

# A code reused within a day still revokes its tokens.
CODE_RETENTION: Final = timedelta(days=1)


@dataclass(frozen=True)
class CleanupResult:
    tokens: int
    grants: int
    clients: int


def delete_expired() -> CleanupResult:
    moment = now()
    Session.objects.filter(expire_date__lt=moment).delete()
    tokens = AccessToken.objects.filter(expires_at__lt=moment).delete()[0]
    # A used refresh token stays until expiry, to detect reuse.
    tokens += RefreshToken.objects.filter(expires_at__lt=moment).delete()[0]
    empty = TokenFamily.objects.filter(
        code_expires_at__lt=moment - CODE_RETENTION, access_tokens=None, refresh_tokens=None
    )
    empty.delete()
    # Without a token family an app has no tokens, so the app is no longer connected.
    grants = Grant.objects.filter(created_at__lt=moment - CODE_RETENTION, families=None).delete()[0]
    return CleanupResult(tokens, grants, delete_unused_clients())
