"""Parses values of CI providers: refs, numbers, remotes, shards."""

import hashlib
import re
from urllib.parse import urlsplit

from visual_review.client.ci.facts import CiError

MESSAGE_LENGTH = 500
NONCE_LENGTH = 200
# The limits of the service. The client keeps to the limits so that no call is rejected.
MAX_SHARDS = 1000
HASH_LENGTH = 32


def parse_branch(ref: str) -> str:
    """Return the branch of ``refs/heads/x`` or a bare name; empty for any other full ref."""
    if ref.startswith("refs/heads/"):
        return ref.removeprefix("refs/heads/")
    return "" if ref.startswith("refs/") else ref


def parse_number(text: str) -> int | None:
    """Return a positive integer in ASCII digits, otherwise None: providers also send ``false``."""
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        return None
    return int(text) or None


def parse_trailing_number(text: str) -> int | None:
    """Return the number at the end of a pull request's URL."""
    return parse_number(text.rstrip("/").rpartition("/")[2])


def parse_repository(remote: str) -> str:
    """Return ``owner/repo`` (or ``group/sub/repo``) of a git remote, empty if unknown."""
    if "://" in remote:
        try:
            _, host, path, _, _ = urlsplit(remote)
        except ValueError:
            return ""
    else:
        host, colon, path = remote.partition(":")
        host = host if colon and "/" not in host else ""
    # A local path is not a repository of a Git provider.
    if not host:
        return ""
    path = path.rstrip("/").removesuffix(".git")
    parts = [part for part in path.split("/") if part not in ("", "_git")]
    return "/".join(parts) if len(parts) > 1 else ""


def detect_fork(head: str, base: str) -> str:
    """Return ``head`` if different from ``base``, otherwise empty; ignores the case of a-z."""
    return head if head and base and head.encode().lower() != base.encode().lower() else ""


def is_full_hash(commit: str) -> bool:
    """Return whether ``commit`` is a whole hash of git, by SHA-1 or SHA-256."""
    return re.fullmatch(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}", commit) is not None


def parse_shard(text: str) -> tuple[int, int]:
    """Return ``2/4`` as (2, 4). Raises CiError for anything else."""
    match = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text.strip())
    if match is None:
        raise CiError(f"The shard {text!r} does not have the form I/N, for example 2/4.")
    shard, shards = int(match[1]), int(match[2])
    if not 1 <= shard <= shards <= MAX_SHARDS:
        raise CiError(f"The shard {text!r} must be between 1/{shards} and {shards}/{shards}.")
    return shard, shards


def shard_from_variables(index: str, total: str, first: int = 0) -> tuple[int, int]:
    """Return shard and shards from variables counting from ``first``, otherwise (1, 1)."""
    if not (index.isascii() and index.isdecimal() and total.isascii() and total.isdecimal()):
        return 1, 1
    shard, shards = int(index) - first + 1, int(total)
    return (shard, shards) if 1 <= shard <= shards <= MAX_SHARDS else (1, 1)


def first_line(message: str) -> str:
    """Return the subject of a commit message, truncated to fit a list."""
    lines = message.strip().splitlines()
    return lines[0][:MESSAGE_LENGTH] if lines else ""


def make_nonce(*parts: str) -> str:
    """Join the parts; empty if one is missing, shortened with a hash if too long."""
    if not all(parts):
        return ""
    nonce = "-".join(parts)
    if len(nonce) <= NONCE_LENGTH:
        return nonce
    digest = hashlib.sha256(nonce.encode()).hexdigest()[:HASH_LENGTH]
    return f"{nonce[: NONCE_LENGTH - HASH_LENGTH - 1]}-{digest}"
