"""Encrypts the stored secrets again after a new encryption key was added before the others."""

from dataclasses import dataclass, field

from django.db import transaction

from visual_review.kernel.encryption import (
    DecryptionError,
    encrypt_again,
    is_encrypted_with_newest_key,
)
from visual_review.repositories.models import HostAccount

# All encrypted columns.
COLUMNS = ("credentials", "webhook_secret")


@dataclass
class RotationResult:
    """``broken`` names the accounts with a secret that none of the keys can decrypt."""

    encrypted: int = 0
    already_newest: int = 0
    broken: list[str] = field(default_factory=list)


def encrypt_all_again() -> RotationResult:
    """Encrypt every secret with the newest key; if interrupted, it can be run again."""
    result = RotationResult()
    for pk in HostAccount.objects.order_by("id").values_list("pk", flat=True):
        _rotate(pk, result)
    return result


def _rotate(pk: str, result: RotationResult) -> None:
    with transaction.atomic():
        # Locked, or credentials that are being stored at this moment would be lost.
        account = HostAccount.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if account is None:
            return
        old = [name for name in COLUMNS if not is_encrypted_with_newest_key(getattr(account, name))]
        try:
            for name in old:
                setattr(account, name, encrypt_again(getattr(account, name)))
        except DecryptionError:
            result.broken.append(f"{account} ({account.id})")
            return
        account.save(update_fields=old)
    result.encrypted += len(old)
    result.already_newest += len(COLUMNS) - len(old)
