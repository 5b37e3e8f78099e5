"""Opaque IDs with a type prefix, sortable by time."""

import re
import secrets
import time

# Crockford's base 32 sorts like ASCII, and has no i, l, o and u, which people misread.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
BODY_LENGTH = 26
MAX_LENGTH = 40
_RANDOM_BITS = 80
_PATTERN = re.compile(rf"[a-z]+_[{ALPHABET}]{{{BODY_LENGTH}}}")


def new_id(prefix: str) -> str:
    """Create an ID: ``prefix_`` and 26 characters for 48 bits of time and 80 random bits.

    The layout is ULID's, https://github.com/ulid/spec, in lower case.
    """
    number = (time.time_ns() // 1_000_000) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
    characters = [ALPHABET[number >> shift & 31] for shift in range(5 * (BODY_LENGTH - 1), -1, -5)]
    return f"{prefix}_{''.join(characters)}"


def is_id(value: str, prefix: str) -> bool:
    """Whether ``value`` has the format of an ID of the type, existing or not."""
    # "$" would accept a line break at the end.
    return value.startswith(f"{prefix}_") and _PATTERN.fullmatch(value) is not None
