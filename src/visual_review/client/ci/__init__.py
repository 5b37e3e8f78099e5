"""Detects branch, commit and pull request from the CI provider's environment or from git."""

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.detection import Overrides, read_facts
from visual_review.client.ci.facts import CiError, CiFacts
from visual_review.client.ci.parsing import parse_shard

__all__ = ["Checkout", "CiError", "CiFacts", "Overrides", "parse_shard", "read_facts"]
