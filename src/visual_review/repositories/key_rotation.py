"""Sealing the stored secrets again, after a new key was put before the others."""

from dataclasses import dataclass, field

from django.db import transaction

from visual_review.kernel.encryption import SealBrokenError, is_sealed_newest, seal_again
from visual_review.repositories.models import HostAccount

# All columns that hold something sealed.
COLUMNS = ("credentials", "webhook_secret")


@dataclass
class Resealed:
    """``broken`` names the accounts with a secret that none of the keys opens."""

    sealed: int = 0
    newest_before: int = 0
    broken: list[str] = field(default_factory=list)


def reseal_all() -> Resealed:
    """Seal every secret with the newest key. Each account is done or not; run it again when cut."""
    done = Resealed()
    for pk in HostAccount.objects.order_by("id").values_list("pk", flat=True):
        _reseal(pk, done)
    return done


def _reseal(pk: str, done: Resealed) -> None:
    with transaction.atomic():
        # Locked, or new credentials that somebody stores at this moment would be lost.
        account = HostAccount.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if account is None:
            return
        old = [name for name in COLUMNS if not is_sealed_newest(getattr(account, name))]
        try:
            for name in old:
                setattr(account, name, seal_again(getattr(account, name)))
        except SealBrokenError:
            done.broken.append(f"{account} ({account.id})")
            return
        account.save(update_fields=old)
    done.sealed += len(old)
    done.newest_before += len(COLUMNS) - len(old)
