"""A Git provider in memory, for tests and demos; ``world_of`` returns the one at a URL."""

from scripts.local_host.memory.host import MemoryHost, open_memory_host
from scripts.local_host.memory.state import Call, WrittenComment
from scripts.local_host.memory.webhooks import MemoryWebhookReader, sign_delivery
from scripts.local_host.memory.world import MemoryWorld, world_of
from visual_review.hosts.factory import HostKind

MEMORY_KIND = HostKind((("token",),), open_memory_host, MemoryWebhookReader)

__all__ = [
    "MEMORY_KIND",
    "Call",
    "MemoryHost",
    "MemoryWebhookReader",
    "MemoryWorld",
    "WrittenComment",
    "sign_delivery",
    "world_of",
]
