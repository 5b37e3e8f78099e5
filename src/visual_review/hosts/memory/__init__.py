"""A source host in memory, for tests and demonstrations; ``world_of`` finds it by its address."""

from visual_review.hosts.memory.host import MemoryHost
from visual_review.hosts.memory.state import Call, WrittenComment
from visual_review.hosts.memory.webhooks import MemoryDeliveries, signed_delivery
from visual_review.hosts.memory.world import MemoryWorld, world_of

__all__ = [
    "Call",
    "MemoryDeliveries",
    "MemoryHost",
    "MemoryWorld",
    "WrittenComment",
    "signed_delivery",
    "world_of",
]
