"""``visual-review rotate-key`` encrypts every secret again, even after an interruption."""

import signal

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from tests.support.database import current_personas
from tests.support.host_accounts import TOKEN, WEBHOOK_SECRET, connect_account
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import CommandResult, Process, run, wait_until
from tests.support.servers.worker import database_environment
from visual_review.kernel.encryption import DecryptionError, decrypt, encrypt
from visual_review.messages.channels import ChannelValues, create_channel
from visual_review.repositories.host_accounts import credentials_of, encrypt_credentials
from visual_review.repositories.models import HostAccount

SECRET, OLD, NEW = "s" * 40, "o" * 40, "n" * 40

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def accounts(settings: Settings, transactional_db: None) -> list[HostAccount]:  # noqa: ARG001 - It opens the database.
    """Two accounts, encrypted with the old key."""
    settings.SECRET_KEY, settings.ENCRYPTION_KEYS = SECRET, (OLD,)
    personas = current_personas()
    made = [connect_account(personas.alice), connect_account(personas.mallory)]
    return sorted(made, key=lambda account: account.id)


def variables(*keys: str) -> dict[str, str]:
    """Return the environment of a program on the tests' database."""
    return database_environment(
        VISUAL_REVIEW_SECRET_KEY=SECRET, VISUAL_REVIEW_SEALING_KEYS=" ".join(keys)
    )


def rotate_key(settings: Settings, *keys: str) -> CommandResult:
    """Run the command in this process, where the keys come from Django's settings."""
    settings.ENCRYPTION_KEYS = keys
    return run_in_process(["rotate-key"], variables(*keys))


def decrypts_all(settings: Settings, *keys: str) -> bool:
    settings.ENCRYPTION_KEYS = keys
    for account in HostAccount.objects.all():
        assert credentials_of(account) == {"token": TOKEN}
        assert decrypt(account.webhook_secret) == WEBHOOK_SECRET
    return True


def test_channels_are_encrypted_again(settings: Settings) -> None:
    url = "https://example.com/events"
    values = ChannelValues("webhook", url, ["build.decided"])
    channel, secret = create_channel(current_personas().alice.organization.id, values)
    assert rotate_key(settings, NEW, OLD).out.startswith("6 secrets were encrypted")
    settings.ENCRYPTION_KEYS = (NEW,)
    channel.refresh_from_db()
    assert (decrypt(channel.url), decrypt(channel.secret)) == (url, secret)


def test_every_secret_gets_the_newest_key_and_the_old_key_can_be_removed(
    settings: Settings,
) -> None:
    done = run(["rotate-key"], variables(NEW, OLD))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("4 secrets were encrypted with the newest key; 0 already were.")
    assert decrypts_all(settings, NEW)
    before = list(HostAccount.objects.order_by("id").values())
    again = rotate_key(settings, NEW)
    assert again.out.startswith("0 secrets were encrypted with the newest key; 4 already were.")
    assert list(HostAccount.objects.order_by("id").values()) == before


def test_secrets_encrypted_with_the_secret_key_get_an_encryption_key(settings: Settings) -> None:
    settings.ENCRYPTION_KEYS = ()
    HostAccount.objects.update(
        credentials=encrypt_credentials({"token": TOKEN}), webhook_secret=encrypt(WEBHOOK_SECRET)
    )
    assert rotate_key(settings, NEW).out.startswith("4 secrets")
    settings.SECRET_KEY = "another" * 6
    assert decrypts_all(settings, NEW)


def test_a_secret_that_no_key_decrypts_is_reported_and_kept(
    settings: Settings, accounts: list[HostAccount]
) -> None:
    HostAccount.objects.filter(pk=accounts[0].pk).update(credentials="encrypted with a lost key")
    done = rotate_key(settings, NEW, OLD)
    settings.ENCRYPTION_KEYS = (NEW,)
    assert done.code == 2
    assert accounts[0].id in done.err
    assert accounts[1].id not in done.err
    assert "VISUAL_REVIEW_SEALING_KEYS" in done.err
    assert "2 secrets were encrypted" in done.err
    assert decrypt(HostAccount.objects.get(pk=accounts[1].pk).webhook_secret) == WEBHOOK_SECRET
    with pytest.raises(DecryptionError):
        credentials_of(HostAccount.objects.get(pk=accounts[0].pk))


def test_a_killed_rotation_leaves_each_account_with_one_key_and_can_be_repeated(
    settings: Settings, accounts: list[HostAccount], tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = tmp_path_factory.mktemp("rotate-key") / "out"
    former = accounts[0].credentials
    with transaction.atomic():
        # With the second account locked, the program waits after the first.
        HostAccount.objects.select_for_update().get(pk=accounts[1].pk)
        process = Process(["rotate-key"], log, variables(NEW, OLD))
        try:
            wait_until(
                "the first account is encrypted again",
                lambda: HostAccount.objects.get(pk=accounts[0].pk).credentials != former,
                process,
            )
        finally:
            process.end(signal.SIGKILL)
    assert decrypts_all(settings, NEW, OLD)
    assert rotate_key(settings, NEW, OLD).out.startswith(
        "2 secrets were encrypted with the newest key; 2 already were"
    )
    assert decrypts_all(settings, NEW)


def test_without_a_secret_key_the_error_names_the_variable() -> None:
    given = {
        name: value for name, value in variables(NEW).items() if name != "VISUAL_REVIEW_SECRET_KEY"
    }
    done = run_in_process(["rotate-key"], given)
    assert done.code == 2
    assert "VISUAL_REVIEW_SECRET_KEY" in done.err
