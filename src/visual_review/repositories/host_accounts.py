"""The connected account of an organization: reading it, with its secrets opened."""

import json
from collections.abc import Mapping

from visual_review.kernel.errors import ConflictError
from visual_review.kernel.sealing import seal, unseal
from visual_review.repositories.models import HostAccount

NOT_CONNECTED = (
    "No account at a source host is connected. Connect one in the settings under 'Source host'."
)

CHANGED_MEANWHILE = (
    "The account at the source host was changed while it was asked. Nothing was changed; try again."
)


def account_of(organization_id: str) -> HostAccount | None:
    return HostAccount.objects.filter(organization_id=organization_id).first()


def connected_account(organization_id: str) -> HostAccount:
    """The account; raises ConflictError when there is none."""
    account = account_of(organization_id)
    if account is None:
        raise ConflictError(NOT_CONNECTED)
    return account


def still_connected(account: HostAccount) -> HostAccount:
    """The account as it stands, its row locked; raises ConflictError when it changed meanwhile.

    For transactions that store what the host told before they began.
    """
    row = HostAccount.objects.select_for_update(no_key=True).filter(pk=account.pk).first()
    if row is None or row.credentials != account.credentials:
        raise ConflictError(CHANGED_MEANWHILE)
    return row


def credentials_of(account: HostAccount) -> dict[str, str]:
    """What the host knows us by; raises SealBrokenError when the key is gone."""
    opened: dict[str, str] = json.loads(unseal(account.credentials))
    return opened


def sealed_credentials(credentials: Mapping[str, str]) -> str:
    return seal(json.dumps(dict(credentials), sort_keys=True))
