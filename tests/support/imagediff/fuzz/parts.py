"""A PNG file in parts, so that a single part can be damaged and the rest stays valid."""

import struct
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache

from tests.support.imagediff.png_writer import SIGNATURE

HEADER = ">IIBBBBB"


@dataclass(frozen=True)
class Chunk:
    """A chunk; None stands for the true ``length`` and ``checksum``."""

    kind: bytes
    body: bytes
    length: int | None = None
    checksum: int | None = None

    def encode(self) -> bytes:
        length = len(self.body) if self.length is None else self.length
        known = zlib.crc32(self.kind + self.body) if self.checksum is None else self.checksum
        return struct.pack(">I", length) + self.kind + self.body + struct.pack(">I", known)


@dataclass(frozen=True)
class Parts:
    """The chunks of a PNG file in their order."""

    chunks: tuple[Chunk, ...]

    @classmethod
    @lru_cache(maxsize=512)
    def of(cls, data: bytes) -> "Parts":
        """Take a valid file apart."""
        chunks, position = [], len(SIGNATURE)
        while position < len(data):
            length, kind = struct.unpack_from(">I4s", data, position)
            chunks.append(Chunk(kind, data[position + 8 : position + 8 + length]))
            position += length + 12
        return cls(tuple(chunks))

    def encode(self) -> bytes:
        return SIGNATURE + b"".join(chunk.encode() for chunk in self.chunks)

    def find(self, kind: bytes) -> int | None:
        """Return the index of the first chunk of a type."""
        return next((at for at, chunk in enumerate(self.chunks) if chunk.kind == kind), None)

    def with_chunk(self, at: int, **changes: object) -> "Parts":
        changed = replace(self.chunks[at], **changes)  # type: ignore[arg-type]
        return Parts((*self.chunks[:at], changed, *self.chunks[at + 1 :]))

    def with_header(self, at: int, value: int) -> "Parts":
        """Change the value with index ``at`` of the header."""
        values = list(struct.unpack(HEADER, self.chunks[0].body))
        values[at] = value
        return self.with_chunk(0, body=struct.pack(HEADER, *values))

    @property
    def stream(self) -> bytes:
        """The compressed image data."""
        return b"".join(chunk.body for chunk in self.chunks if chunk.kind == b"IDAT")

    def with_stream(self, stream: bytes) -> "Parts":
        """Put all image data into the first chunk of image data."""
        at = self.find(b"IDAT")
        if at is None:
            return self
        rest = tuple(chunk for chunk in self.chunks[at + 1 :] if chunk.kind != b"IDAT")
        return Parts((*self.chunks[:at], Chunk(b"IDAT", stream), *rest))
