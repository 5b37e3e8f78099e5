"""The in-memory Git provider of the tests, with an organization's account."""

from typing import Final

from scripts.local_host.memory import MEMORY_KIND, MemoryWorld, world_of

from tests.support.personas import Persona
from visual_review.hosts.factory import HOST_KINDS
from visual_review.kernel.encryption import encrypt
from visual_review.repositories.host_accounts import encrypt_credentials
from visual_review.repositories.models import HostAccount
from visual_review.web.views.source_host import AUTH_METHODS, KINDS_BY_URL, AuthMethod

ADDRESS: Final = "memory://test"
TOKEN: Final = "token-of-the-account"
WEBHOOK_SECRET: Final = "secret-of-the-webhooks"

# The product knows no such provider.
HOST_KINDS["memory"] = MEMORY_KIND
AUTH_METHODS["memory-token"] = AuthMethod("memory", "Provider in memory", ("token",))
KINDS_BY_URL[ADDRESS] = "memory"


def host_world() -> MemoryWorld:
    return world_of(ADDRESS)


def connect_account(persona: Persona, *full_names: str) -> HostAccount:
    """Connect the persona's organization to a host with the named repositories."""
    world = host_world()
    for name in full_names:
        world.add_repository(name)
    return HostAccount.objects.create(
        organization=persona.organization,
        kind="memory",
        address=ADDRESS,
        name=world.login,
        credentials=encrypt_credentials({"token": TOKEN}),
        webhook_secret=encrypt(WEBHOOK_SECRET),
    )
