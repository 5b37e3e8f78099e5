"""Reads the small notations of CI providers: refs, numbers, remotes, shards."""

import hashlib
import re
from urllib.parse import urlsplit

from visual_review.client.ci.facts import CiError

MESSAGE_LENGTH = 500
NONCE_LENGTH = 200
# The service's own bounds; the client stays within them so that no call is refused for it.
MAX_SHARDS = 1000
HASH_LETTERS = 32


def branch_of(ref: str) -> str:
    """The branch of ``refs/heads/x``; a bare name stays, any other full ref is no branch."""
    if ref.startswith("refs/heads/"):
        return ref.removeprefix("refs/heads/")
    return "" if ref.startswith("refs/") else ref


def number_of(text: str) -> int | None:
    """A positive whole number in ASCII digits, else None: providers also send ``false``."""
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        return None
    return int(text) or None


def last_number(text: str) -> int | None:
    """The number that a pull request's address ends in."""
    return number_of(text.rstrip("/").rpartition("/")[2])


def repository_of(remote: str) -> str:
    """``owner/repo`` (or ``group/sub/repo``) of a git remote, empty where none can be read."""
    if "://" in remote:
        try:
            path = urlsplit(remote).path
        except ValueError:
            return ""
    else:
        host, colon, path = remote.partition(":")
        # A path of this machine names no repository of a host.
        if not colon or "/" in host:
            return ""
    parts = [part for part in path.removesuffix(".git").split("/") if part not in ("", "_git")]
    return "/".join(parts) if len(parts) > 1 else ""


def fork_of(head: str, base: str) -> str:
    """``head`` where it is another repository than ``base``; hosts ignore the letters' case."""
    return head if head and base and head.casefold() != base.casefold() else ""


def parse_shard(text: str) -> tuple[int, int]:
    """``2/4`` as (2, 4). Raises CiError for anything that is no part of a whole."""
    match = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text.strip())
    if match is None:
        raise CiError(f"The shard {text!r} is not of the form i/n, for example 2/4.")
    shard, shards = int(match[1]), int(match[2])
    if not 1 <= shard <= shards <= MAX_SHARDS:
        raise CiError(f"The shard {text!r} must lie between 1/{shards} and {shards}/{shards}.")
    return shard, shards


def part(index: str, total: str, first: int = 0) -> tuple[int, int]:
    """Shard and shards from a provider's variables counting from ``first``; else (1, 1)."""
    if not (index.isascii() and index.isdecimal() and total.isascii() and total.isdecimal()):
        return 1, 1
    shard, shards = int(index) - first + 1, int(total)
    return (shard, shards) if 1 <= shard <= shards <= MAX_SHARDS else (1, 1)


def first_line(message: str) -> str:
    """The subject of a commit message, cut to what a list can show."""
    lines = message.strip().splitlines()
    return lines[0][:MESSAGE_LENGTH] if lines else ""


def nonce_of(*parts: str) -> str:
    """The parts joined; empty if one is missing, shortened by a hash if too long."""
    if not all(parts):
        return ""
    nonce = "-".join(parts)
    if len(nonce) <= NONCE_LENGTH:
        return nonce
    digest = hashlib.sha256(nonce.encode()).hexdigest()[:HASH_LETTERS]
    return f"{nonce[: NONCE_LENGTH - HASH_LETTERS - 1]}-{digest}"
