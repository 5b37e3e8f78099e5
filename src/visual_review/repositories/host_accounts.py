"""An organization's connected account, and what a repository sends to the Git provider."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal, Self

from django.conf import settings
from django.db import IntegrityError, transaction

from visual_review.audit.log import Target
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import decrypt, encrypt
from visual_review.kernel.errors import ConflictError
from visual_review.kernel.ids import new_id
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import HostAccount, Repository

LINK_REPOSITORIES = "link_repositories"
WEBHOOK_SECRET_BYTES = 32
PREFIX = "host"

NOT_CONNECTED = (
    "No account at a Git provider is connected. Connect one in the settings under 'Git provider'."
)

ALREADY_CONNECTED = (
    "An account at a Git provider is already connected. Renew its credentials, or disconnect it "
    "first."
)
CHANGED_MEANWHILE = (
    "The connected account was changed by someone else in the meantime. Your change was not "
    "saved; try again."
)
DueStatus = Literal["pending", "failure"]


def account_of(organization_id: str) -> HostAccount | None:
    return HostAccount.objects.filter(organization_id=organization_id).first()


def connected_account(organization_id: str) -> HostAccount:
    """Return the account; raises ConflictError if no account is connected."""
    account = account_of(organization_id)
    if account is None:
        raise ConflictError(NOT_CONNECTED)
    return account


def lock_unchanged_account(account: HostAccount) -> HostAccount:
    """Lock the account's row and return it; raises ConflictError if the credentials changed.

    For transactions that store a response of the host from before the transaction.
    """
    row = HostAccount.objects.select_for_update(no_key=True).filter(pk=account.pk).first()
    if row is None or row.credentials != account.credentials:
        raise ConflictError(CHANGED_MEANWHILE)
    return row


def credentials_of(account: HostAccount) -> dict[str, str]:
    """Return the decrypted credentials; raises DecryptionError if the key is missing."""
    decrypted: dict[str, str] = json.loads(decrypt(account.credentials))
    return decrypted


def encrypt_credentials(credentials: Mapping[str, str]) -> str:
    return encrypt(json.dumps(dict(credentials), sort_keys=True))


def connect_account(
    organization_id: str,
    kind: str,
    address: str,
    name: str,
    credentials: Mapping[str, str],
    account_id: str = "",
) -> HostAccount:
    """Create the account; raises ConflictError if the organization already has one."""
    try:
        # The savepoint keeps the transaction usable.
        with transaction.atomic():
            account = HostAccount.objects.create(
                id=account_id or new_id(PREFIX),
                organization_id=organization_id,
                kind=kind,
                address=address,
                name=name,
                credentials=encrypt_credentials(credentials),
                checked_at=now(),
            )
    except IntegrityError as error:
        raise ConflictError(ALREADY_CONNECTED) from error
    link_repositories(account)
    return account


def change_credentials(account: HostAccount, name: str, credentials: Mapping[str, str]) -> None:
    """Store credentials just accepted by the host; the row must be locked."""
    account.credentials = encrypt_credentials(credentials)
    account.save(update_fields=["credentials"])
    record_success(account, name)


def record_success(account: HostAccount, name: str) -> None:
    """Store that the host accepts the account as ``name``, and clear its problem.

    The row must be locked.
    """
    account.name, account.checked_at = name, now()
    account.problem, account.paused_until = "", None
    account.save(update_fields=["name", "checked_at", "problem", "paused_until"])
    link_repositories(account)


def record_problem(account: HostAccount, problem: str) -> None:
    account.problem, account.checked_at = problem, now()
    account.save(update_fields=["problem", "checked_at"])


def renew_webhook_secret(account: HostAccount, given: str = "") -> str:
    """Store and return a new secret; deliveries signed with the old one are rejected from now.

    ``given`` is the secret chosen by the provider, if any.
    """
    secret = given or secrets.token_urlsafe(WEBHOOK_SECRET_BYTES)
    account.webhook_secret = encrypt(secret)
    account.save(update_fields=["webhook_secret"])
    return secret


def disconnect_account(account: HostAccount) -> None:
    """Delete the account and its secrets. Repositories stay, without a connection to a host."""
    Repository.objects.filter(host_account=account).update(
        # Ids and issuers of one host mean nothing at another.
        host_account=None,
        host_id="",
        host_problem="",
        host_checked_at=None,
        identity_issuer="",
        identity_pin="",
        identity_shared_audience=False,
    )
    account.delete()


def link_repositories(account: HostAccount) -> None:
    """Queue a job to find the organization's repositories at the host."""
    enqueue(
        LINK_REPOSITORIES,
        lock=f"link:{account.id}",
        once=f"link:{account.id}",
        account_id=account.id,
    )


def webhook_url(account: HostAccount) -> str:
    """Return the URL to which the host should send its webhooks."""
    return webhook_url_of(account.id)


def webhook_url_of(account_id: str) -> str:
    return f"{settings.PUBLIC_URL}/api/webhooks/hosts/{account_id}"


def account_target(account: HostAccount) -> Target:
    return Target("host_account", account.id, str(account))


@dataclass(frozen=True)
class HostSettings:
    """``review_due_status`` is the state of the commit status while a review is due.

    ``allows_skip``: a pull request's build without captures passes, except from forks.
    """

    posts_comments: bool
    comment_pictures: bool
    review_due_status: str
    allows_skip: bool

    @classmethod
    def of(cls, repository: Repository) -> Self:
        return cls(**{field.name: getattr(repository, field.name) for field in fields(cls)})


def store_host_settings(repository: Repository, settings: HostSettings) -> HostSettings:
    """Store ``settings`` for ``repository``; returns the previous ones."""
    # A weaker lock: others insert references to the row while holding the locks taken next here.
    locked = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    before = HostSettings.of(locked)
    values = asdict(settings)
    for name, value in values.items():
        setattr(repository, name, value)
    repository.save(update_fields=list(values))
    return before
