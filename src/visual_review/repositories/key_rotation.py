"""Sealing the stored secrets again, after a new key was put before the others."""

from dataclasses import dataclass, field

from django.db import transaction

from visual_review.kernel.encryption import (
    DecryptionError,
    encrypt_again,
    is_encrypted_with_newest_key,
)
from visual_review.repositories.models import HostAccount

# All columns that hold something sealed.
COLUMNS = ("credentials", "webhook_secret")


@dataclass
class RotationResult:
    """``broken`` names the accounts with a secret that none of the keys opens."""

    sealed: int = 0
    newest_before: int = 0
    broken: list[str] = field(default_factory=list)


def rotate_all() -> RotationResult:
    """Seal every secret with the newest key. Each account is done or not; run it again when cut."""
    done = RotationResult()
    for pk in HostAccount.objects.order_by("id").values_list("pk", flat=True):
        _rotate(pk, done)
    return done


def _rotate(pk: str, done: RotationResult) -> None:
    with transaction.atomic():
        # Locked, or new credentials that somebody stores at this moment would be lost.
        account = HostAccount.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if account is None:
            return
        old = [name for name in COLUMNS if not is_encrypted_with_newest_key(getattr(account, name))]
        try:
            for name in old:
                setattr(account, name, encrypt_again(getattr(account, name)))
        except DecryptionError:
            done.broken.append(f"{account} ({account.id})")
            return
        account.save(update_fields=old)
    done.sealed += len(old)
    done.newest_before += len(COLUMNS) - len(old)
