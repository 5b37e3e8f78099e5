"""What the contract tests run on: a world in memory, and an adapter that accesses it."""

from dataclasses import dataclass

from scripts.local_host.memory import MemoryWorld

from visual_review.hosts.port import Host

TOKEN = "a-token-of-the-tests"
NAME = "acme/web"


@dataclass(frozen=True)
class AdapterUnderTest:
    """``world`` has the repository ``NAME``; ``host`` is the adapter under test.

    HTTP adapters access the world through a local server that responds in their format.
    """

    world: MemoryWorld
    host: Host
