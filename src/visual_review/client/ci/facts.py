"""Facts of a CI run about the commit being published."""

from collections.abc import Mapping
from dataclasses import dataclass

Environment = Mapping[str, str]


class CiError(Exception):
    """Branch or commit is unknown; the message names the option to set."""


@dataclass(frozen=True, slots=True)
class CiFacts:
    """Facts of the provider; unknown facts are empty strings or None."""

    provider: str
    branch: str = ""
    # The head of the branch.
    commit: str = ""
    base_commit: str = ""
    # A merge made by CI only for testing ``commit``.
    merge_commit: str = ""
    merge_base_commit: str = ""
    # ``owner/repo``, only of a fork.
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""
    message: str = ""
    author: str = ""
    # Identifies the run of one job.
    nonce: str = ""
    # Identifies the run of all parallel jobs.
    run_nonce: str = ""
    # Counts from 1.
    shard: int = 1
    shards: int = 1
