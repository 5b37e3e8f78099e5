"""Adapts allauth's second factors: encrypted, audited, and demanded where an organization does."""

from typing import Any, Final
from urllib.parse import urlsplit

from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from visual_review.accounts import sessions
from visual_review.accounts.models import Membership, User
from visual_review.kernel.encryption import decrypt, encrypt
from visual_review.kernel.metrics import SIGN_INS_REFUSED
from visual_review.web.membership import PROVIDER_ORGANIZATION

NAME: Final = "Visual Review"
_HAS_FACTOR: Final = "_visual_review_has_factor"
# Recovery codes alone are no second factor.
FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc] # allauth has no types.
    """The settings name this class."""

    def encrypt(self, text: str) -> str:
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        return decrypt(encrypted_text)

    def get_totp_issuer(self) -> str:
        return NAME

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        # Always the same, by whatever name a proxy calls the service.
        return {"id": urlsplit(settings.PUBLIC_URL).hostname or "", "name": NAME}

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - As allauth has it.
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return f"Passkey {count + 1}"


def lacks_second_factor(request: HttpRequest, membership: Membership) -> bool:
    """Return whether the organization demands a factor missing for the person of this session.

    A provider's session needs none here: the provider asks for its own.
    """
    if not membership.organization.requires_second_factor:
        return False
    if PROVIDER_ORGANIZATION in request.session:
        return False
    # Asked several times while a page is built.
    if not hasattr(request, _HAS_FACTOR):
        rows = Authenticator.objects.filter(user=membership.user_id, type__in=FACTORS)
        setattr(request, _HAS_FACTOR, rows.exists())
    return not getattr(request, _HAS_FACTOR)


# allauth's own signal comes after the transaction, where the entry could be lost.
@receiver(post_save, sender=Authenticator)
def _record_added(instance: Authenticator, *, created: bool, **_more: Any) -> None:  # noqa: ANN401 - As signals have it.
    if created:
        sessions.record_factor(instance.user, "added", instance.get_type_display())


@receiver(signals.authenticator_removed)
def _record_removed(user: User, authenticator: Authenticator, **_more: Any) -> None:  # noqa: ANN401 - As above.
    sessions.record_factor(user, "removed", authenticator.get_type_display())


@receiver(signals.authenticator_reset)
def _record_reset(user: User, authenticator: Authenticator, **_more: Any) -> None:  # noqa: ANN401 - As above.
    sessions.record_factor(user, "renewed", authenticator.get_type_display())


@receiver(signals.authentication_failed)
def _record_failure(user: User, **_more: Any) -> None:  # noqa: ANN401 - As above.
    SIGN_INS_REFUSED.labels("code").inc()
    sessions.record_failed_sign_in(user.email)
