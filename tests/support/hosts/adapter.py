"""What the contract of source hosts plays on: a world, and a host that looks at it."""

from dataclasses import dataclass

from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.port import Host

TOKEN = "a-token-of-the-tests"
NAME = "acme/web"


@dataclass(frozen=True)
class AdapterUnderTest:
    """``world`` has the repository ``NAME``; ``host`` is the adapter under test.

    Adapters for HTTP look at the world through a local server that tells it in their shapes.
    """

    world: MemoryWorld
    host: Host
