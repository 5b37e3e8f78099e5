"""The connected account of an organization: reading it, connecting and ending it."""

import json
import secrets
from collections.abc import Mapping

from django.conf import settings
from django.db import IntegrityError, transaction

from visual_review.audit.log import Target
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import decrypt, encrypt
from visual_review.kernel.errors import ConflictError
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import HostAccount, Repository

LINK_REPOSITORIES = "link_repositories"
WEBHOOK_SECRET_BYTES = 32

NOT_CONNECTED = (
    "No account at a source host is connected. Connect one in the settings under 'Source host'."
)

CONNECTED_ALREADY = "An account at a source host is connected already. Renew its credentials, or disconnect it first."
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
    opened: dict[str, str] = json.loads(decrypt(account.credentials))
    return opened


def encrypted_credentials(credentials: Mapping[str, str]) -> str:
    return encrypt(json.dumps(dict(credentials), sort_keys=True))


def connect_account(
    organization_id: str, kind: str, address: str, name: str, credentials: Mapping[str, str]
) -> tuple[HostAccount, str]:
    """The new account and the secret of its webhooks, which is told this once.

    Raises ConflictError when the organization has one.
    """
    try:
        # The savepoint keeps the transaction usable.
        with transaction.atomic():
            account = HostAccount.objects.create(
                organization_id=organization_id,
                kind=kind,
                address=address,
                name=name,
                credentials=encrypted_credentials(credentials),
                checked_at=now(),
            )
    except IntegrityError as error:
        raise ConflictError(CONNECTED_ALREADY) from error
    link_repositories(account)
    return account, renew_webhook_secret(account)


def change_credentials(account: HostAccount, name: str, credentials: Mapping[str, str]) -> None:
    """Store credentials that the host has just accepted; the row must be locked."""
    account.credentials = encrypted_credentials(credentials)
    account.save(update_fields=["credentials"])
    note_answer(account, name)


def note_answer(account: HostAccount, name: str) -> None:
    """The host knows us by ``name``: what was in the way is over. The row must be locked."""
    account.name, account.checked_at = name, now()
    account.problem, account.paused_until = "", None
    account.save(update_fields=["name", "checked_at", "problem", "paused_until"])
    link_repositories(account)


def record_problem(account: HostAccount, problem: str) -> None:
    account.problem, account.checked_at = problem, now()
    account.save(update_fields=["problem", "checked_at"])


def renew_webhook_secret(account: HostAccount) -> str:
    """A new secret, told this once; deliveries signed with the former are refused from now on."""
    secret = secrets.token_urlsafe(WEBHOOK_SECRET_BYTES)
    account.webhook_secret = encrypt(secret)
    account.save(update_fields=["webhook_secret"])
    return secret


def disconnect_account(account: HostAccount) -> None:
    """Forget the account and its secrets. Repositories stay, unknown to any host."""
    Repository.objects.filter(host_account=account).update(
        # Ids and issuers of one host mean nothing at the next.
        host_account=None,
        host_id="",
        host_problem="",
        host_checked_at=None,
        identity_issuer="",
    )
    account.delete()


def link_repositories(account: HostAccount) -> None:
    """Have a job find the organization's repositories at the host, after this transaction."""
    enqueue(
        LINK_REPOSITORIES,
        lock=f"link:{account.id}",
        once=f"link:{account.id}",
        account_id=account.id,
    )


def webhook_url(account: HostAccount) -> str:
    """Where the host shall send its webhooks."""
    return f"{settings.PUBLIC_URL}/api/webhooks/hosts/{account.id}"


def account_target(account: HostAccount) -> Target:
    return Target("host_account", account.id, str(account))
