"""Damage to the chunks of a PNG file, hidden by correct checksums."""

import random

from tests.support.imagediff.fuzz.byte_damage import damage
from tests.support.imagediff.fuzz.parts import Chunk, Parts

TYPES = (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"tEXt", b"iCCP", b"ABCD", b"abcd")
# Values likely to make a reader fail, by their place in the header.
SIZES = (0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 255, 256, 4000, 32_768, 65_536, 2**31 - 1, 2**32 - 1)
LIES = (
    SIZES,
    SIZES,
    (0, 1, 2, 3, 4, 8, 16, 32),
    (0, 1, 2, 3, 4, 5, 6, 7, 255),
    (1,),
    (1,),
    (0, 1, 2),
)
LENGTHS = (0, 1, 13, 2**16, 2**31 - 1, 2**31, 2**32 - 1)


def lie_in_header(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(LIES))
    return parts.with_header(at, rng.choice(LIES[at]))


def reorder(rng: random.Random, parts: Parts) -> Parts:
    chunks = list(parts.chunks)
    chunks.insert(rng.randrange(len(chunks)), chunks.pop(rng.randrange(len(chunks))))
    return Parts(tuple(chunks))


def duplicate(rng: random.Random, parts: Parts) -> Parts:
    chunks = list(parts.chunks)
    chunks.insert(rng.randrange(len(chunks) + 1), rng.choice(chunks))
    return Parts(tuple(chunks))


def remove(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(parts.chunks))
    return Parts((*parts.chunks[:at], *parts.chunks[at + 1 :]))


def add(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(parts.chunks) + 1)
    fresh = Chunk(rng.choice(TYPES), rng.randbytes(rng.choice((0, 1, 2, 3, 6, 9, 256))))
    return Parts((*parts.chunks[:at], fresh, *parts.chunks[at:]))


def rename(rng: random.Random, parts: Parts) -> Parts:
    return parts.with_chunk(rng.randrange(len(parts.chunks)), kind=rng.choice(TYPES))


def split(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(parts.chunks))
    whole = parts.chunks[at]
    middle = rng.randrange(len(whole.body) + 1)
    halves = (Chunk(whole.kind, whole.body[:middle]), Chunk(whole.kind, whole.body[middle:]))
    return Parts((*parts.chunks[:at], *halves, *parts.chunks[at + 1 :]))


def damage_body(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(parts.chunks))
    return parts.with_chunk(at, body=damage(rng, parts.chunks[at].body))


def damage_checksum(rng: random.Random, parts: Parts) -> Parts:
    return parts.with_chunk(rng.randrange(len(parts.chunks)), checksum=rng.randrange(2**32))


def lie_about_length(rng: random.Random, parts: Parts) -> Parts:
    at = rng.randrange(len(parts.chunks))
    near = len(parts.chunks[at].body) + rng.randint(-2, 2)
    return parts.with_chunk(at, length=max(0, rng.choice((near, rng.choice(LENGTHS)))))


def change_palette(rng: random.Random, parts: Parts) -> Parts:
    """Shorten or extend the palette or its alphas: indices may then be beyond the palette."""
    found = [at for at in map(parts.find, (b"PLTE", b"tRNS")) if at is not None]
    if not found:
        return damage_body(rng, parts)
    at = rng.choice(found)
    body = parts.chunks[at].body
    body = body[: rng.randrange(len(body) + 1)] if rng.random() < 0.7 else body + rng.randbytes(3)
    return parts.with_chunk(at, body=body[: len(body) // 3 * 3] if rng.random() < 0.8 else body)


KINDS = (
    *(lie_in_header, lie_in_header, reorder, duplicate, remove, add, rename, split),
    *(damage_body, damage_body, damage_checksum, lie_about_length, change_palette),
)
