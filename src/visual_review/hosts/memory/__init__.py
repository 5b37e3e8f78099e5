"""A Git provider in memory, for tests and demos; ``world_of`` returns the one at a URL."""

from visual_review.hosts.memory.host import MemoryHost
from visual_review.hosts.memory.state import Call, WrittenComment
from visual_review.hosts.memory.webhooks import MemoryWebhookReader, sign_delivery
from visual_review.hosts.memory.world import MemoryWorld, world_of

__all__ = [
    "Call",
    "MemoryHost",
    "MemoryWebhookReader",
    "MemoryWorld",
    "WrittenComment",
    "sign_delivery",
    "world_of",
]
