"""Implements ``visual-review rotate-key``; needs Django."""

from dataclasses import dataclass, field

from allauth.mfa.models import Authenticator
from django.db import transaction

from visual_review.accounts.models import Identity, SignInProvider
from visual_review.config.environment import ENCRYPTION_KEYS, StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.encryption import (
    DecryptionError,
    encrypt_again,
    is_encrypted_with_newest_key,
)
from visual_review.messages.models import Channel
from visual_review.repositories.models import HostAccount

EncryptedModel = HostAccount | Channel | SignInProvider | Identity
# All encrypted columns.
COLUMNS: dict[type[EncryptedModel], tuple[str, ...]] = {
    HostAccount: ("credentials", "webhook_secret"),
    Channel: ("url", "secret", "former_secret"),
    SignInProvider: ("client_secret",),
    Identity: ("refresh_token",),
}


# The values encrypted by allauth in the data of a second factor.
FACTOR_SECRETS = ("secret", "seed")


@dataclass
class RotationResult:
    """``broken`` names the accounts and channels with a secret that no key can decrypt."""

    encrypted: int = 0
    already_newest: int = 0
    broken: list[str] = field(default_factory=list)


def encrypt_all_again() -> RotationResult:
    """Encrypt every secret with the newest key; can be run again after an interruption."""
    result = RotationResult()
    for model in COLUMNS:
        for pk in model.objects.order_by("pk").values_list("pk", flat=True):
            _rotate(model, pk, result)
    for pk in Authenticator.objects.order_by("pk").values_list("pk", flat=True):
        _rotate_factor(pk, result)
    return result


def _rotate(model: type[EncryptedModel], pk: str | int, result: RotationResult) -> None:
    with transaction.atomic():
        # Locked, or credentials stored at the same moment would be lost.
        row = model.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if row is None:
            return
        columns = COLUMNS[model]
        old = [name for name in columns if not is_encrypted_with_newest_key(getattr(row, name))]
        try:
            for name in old:
                setattr(row, name, encrypt_again(getattr(row, name)))
        except DecryptionError:
            result.broken.append(f"{row} ({row.pk})")
            return
        row.save(update_fields=old)
    result.encrypted += len(old)
    result.already_newest += len(columns) - len(old)


def _rotate_factor(pk: int, result: RotationResult) -> None:
    with transaction.atomic():
        row = Authenticator.objects.select_for_update(no_key=True).filter(pk=pk).first()
        names = [name for name in FACTOR_SECRETS if row is not None and name in row.data]
        for name in names:
            if is_encrypted_with_newest_key(row.data[name]):
                result.already_newest += 1
                continue
            try:
                row.data[name] = encrypt_again(row.data[name])
            except DecryptionError:
                result.broken.append(f"second factor of {row.user} ({pk})")
                return
            row.save(update_fields=["data"])
            result.encrypted += 1


def rotate_key() -> str:
    """Encrypt every secret with the newest key; raises StartupError."""
    check_migrations()
    rotation = encrypt_all_again()
    counts = (
        f"{rotation.encrypted} secrets were encrypted with the newest key; "
        f"{rotation.already_newest} already were."
    )
    if rotation.broken:
        raise StartupError(
            f"{counts} None of the keys decrypts the secrets of {', '.join(rotation.broken)}: add "
            f"the key they were encrypted with to {ENCRYPTION_KEYS} and run this command again, or "
            "store new credentials on the page 'Git provider'."
        )
    return counts
