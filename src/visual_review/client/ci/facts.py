"""What CI knows about the commit being published."""

from collections.abc import Mapping
from dataclasses import dataclass

Environment = Mapping[str, str]


class CiError(Exception):
    """What is being published is unknown; the message names the option that helps."""


@dataclass(frozen=True, slots=True)
class CiFacts:
    """Facts of the provider; empty strings and None stand for unknown ones.

    ``head_repository`` (``owner/repo``) is set only for a fork. ``commit`` is the head of the
    branch; a merge that CI made only to test it is the ``merge_commit``. ``nonce`` identifies
    this job's run, ``run_nonce`` the run of all its parallel jobs. Shards count from 1.
    """

    provider: str
    branch: str = ""
    commit: str = ""
    base_commit: str = ""
    merge_commit: str = ""
    merge_base_commit: str = ""
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""
    message: str = ""
    author: str = ""
    nonce: str = ""
    run_nonce: str = ""
    shard: int = 1
    shards: int = 1
