"""The evidence of decisions, as the audit log has it."""

import json
from typing import Any

from visual_review.builds.reviewing.review_log import WrittenEntries


def summarize_evidence(written: WrittenEntries) -> dict[str, Any]:
    """Return the program that decided and what it had looked at; empty for the pages.

    A decision on one screenshot has the images with their hashes, the review log has all.
    """
    if written.evidence is None:
        return {}
    found = json.loads(written.evidence)
    images = {"images": found["images"]}
    counts = {"screenshots": written.count, "withoutImage": written.unseen}
    more = images if written.count == 1 else counts
    return {"evidence": {"client": found["client"], "version": found["version"], **more}}
