"""Deletes codes and tokens that nobody can use any more, and what then holds nothing."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth.clients import delete_unused_clients
from visual_review.kernel.clock import now

# A code that comes again on its day still ends the tokens made from it.
CODE_RETENTION: Final = timedelta(days=1)


@dataclass(frozen=True)
class Cleaned:
    tokens: int
    grants: int
    clients: int


def delete_ended() -> Cleaned:
    moment = now()
    tokens = AccessToken.objects.filter(expires_at__lt=moment).delete()[0]
    # A refresh token that was used stays until its end, since only then it is worthless anyway.
    tokens += RefreshToken.objects.filter(expires_at__lt=moment).delete()[0]
    empty = TokenFamily.objects.filter(
        code_expires_at__lt=moment - CODE_RETENTION, access_tokens=None, refresh_tokens=None
    )
    empty.delete()
    # Without a family an app holds nothing: it is not connected any more, whatever was shown.
    grants = Grant.objects.filter(created_at__lt=moment - CODE_RETENTION, families=None).delete()[0]
    return Cleaned(tokens, grants, delete_unused_clients())
