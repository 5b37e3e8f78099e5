"""The cost of a review over MCP: calls, tokens of texts and images, bytes and seconds; pure."""

import io
import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from PIL import Image

from visual_review.api.mcp.rendering.truncation import count_json_tokens, count_tokens

# The formula of model providers for images: width x height / 750.
PIXELS_PER_TOKEN: Final = 750


@dataclass(frozen=True)
class Reply:
    """The result of a call as the model reads it."""

    text: str
    images: tuple[Image.Image, ...] = ()


@dataclass(frozen=True)
class CallCost:
    """One call; ``sent`` are the tokens of the arguments, ``text`` the tokens of the result."""

    tool: str
    sent: int
    text: int
    images: tuple[int, ...]
    bytes: int
    seconds: float

    @property
    def tokens(self) -> int:
        return self.sent + self.text + sum(self.images)


@dataclass
class ReviewCosts:
    """All calls of a review; ``introduction`` are the tokens before the first call."""

    introduction: int = 0
    calls: list[CallCost] = field(default_factory=list)

    @property
    def text_tokens(self) -> int:
        return sum(call.sent + call.text for call in self.calls)

    @property
    def image_tokens(self) -> int:
        return sum(sum(call.images) for call in self.calls)

    @property
    def tokens(self) -> int:
        return self.text_tokens + self.image_tokens

    @property
    def longest_text(self) -> int:
        return max((call.text for call in self.calls), default=0)

    @property
    def bytes(self) -> int:
        return sum(call.bytes for call in self.calls)

    @property
    def seconds(self) -> float:
        return sum(call.seconds for call in self.calls)


def count_image_tokens(image: Image.Image) -> int:
    """Return width x height / 750, rounded up."""
    return -(-image.width * image.height // PIXELS_PER_TOKEN)


def read_reply(result: Mapping[str, Any]) -> Reply:
    """Return the texts and images of a result in the format of the protocol."""
    blocks: Sequence[Mapping[str, Any]] = result["content"]
    texts = [str(block["text"]) for block in blocks if block["type"] == "text"]
    images = (block["data"] for block in blocks if block["type"] == "image")
    return Reply("\n".join(texts), tuple(_decode(data) for data in images))


def cost_of(
    tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any], size: int, seconds: float
) -> CallCost:
    """Count a call: every text block, link and structured content costs as much as its JSON."""
    reply = read_reply(result)
    links = [block for block in result["content"] if block["type"] not in {"text", "image"}]
    text = count_tokens(reply.text) + sum(map(count_json_tokens, links))
    # Clients give structured content to the model in addition to the text.
    if result.get("structuredContent") is not None:
        text += count_json_tokens(result["structuredContent"])
    sent = count_tokens(json.dumps({"name": tool, "arguments": dict(arguments)}))
    images = tuple(count_image_tokens(image) for image in reply.images)
    return CallCost(tool, sent, text, images, size, seconds)


def _decode(data: str) -> Image.Image:
    image = Image.open(io.BytesIO(b64decode(data)))
    image.load()
    return image
