"""What CI knows about the commit being published."""

from collections.abc import Mapping
from dataclasses import dataclass

Environment = Mapping[str, str]


class CiError(Exception):
    """What is being published cannot be told; the message names the flag that helps."""


@dataclass(frozen=True, slots=True)
class CiFacts:
    """Empty texts and None stand for what the provider does not tell.

    ``head_repository`` (``owner/repo``) is set only for a fork. ``commit`` is the head of the
    branch; a merge that CI made only to test it is the ``merge_commit``. ``nonce`` names this
    job's run, ``run_nonce`` what all parallel jobs of the run share. Shards count from 1.
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
    nonce: str = ""
    run_nonce: str = ""
    shard: int = 1
    shards: int = 1
