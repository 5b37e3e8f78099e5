"""Damage to bytes of any meaning."""

import random

MOST_COPIED = 40


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def set_byte(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.choice((0, 1, 127, 128, 255))]) + data[at + 1 :]


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def cut_out(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, MOST_COPIED) :]


def repeat(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[max(0, at - rng.randint(1, MOST_COPIED)) :]


def insert(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.randint(1, 5)) + data[at:]


def repeat_end(rng: random.Random, data: bytes) -> bytes:
    """Append bytes with the same end as the data, like a checksum at a wrong place."""
    return data + rng.randbytes(rng.randrange(4)) + data[-4:]


KINDS = (flip_bits, set_byte, truncate, cut_out, repeat, insert, repeat_end)


def damage(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(KINDS)(rng, data) if data else rng.randbytes(3)
