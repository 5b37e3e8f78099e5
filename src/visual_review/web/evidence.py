"""The data that a program saw before deciding, for the pages."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.deciders import name_person
from visual_review.builds.reviewing.evidence import Evidence, describe_images, read_evidence
from visual_review.builds.states import APPROVED
from visual_review.web.deciders import name_decider


class ShownEvidence(NamedTuple):
    """The program's name and version, the data it saw, and whether the decision deserves a mark.

    Only an approval without a look deserves a mark: a rejection accepts nothing.
    """

    program: str
    images: str
    is_marked: bool

    @classmethod
    def of(cls, decision: str, stored: Mapping[str, Any] | None) -> Self | None:
        """Return the evidence of an entry of the review log; None for decisions on the pages."""
        found = read_evidence(stored)
        if found is None:
            return None
        marked = decision == APPROVED and found.is_unseen
        return cls(show_bidi_controls(found.program), describe_images(found), marked)


def encode_evidence(
    decision: str, name: str, source: str, client: str, stored: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Return the evidence of a screenshot's decision for the review page.

    ``listed`` is the decider as named in rows; by this name, the page notices another decider's
    evidence.
    """
    shown = ShownEvidence.of(decision, stored)
    if shown is None:
        return None
    key = " (API key)" if source == "api_key" else ""
    return {
        "by": show_bidi_controls(name_person(name)) + key,
        "listed": name_decider(name, source, client),
        **shown._asdict(),
    }


def describe_logged(stored: Mapping[str, Any]) -> str:
    """Return the evidence of an entry of the audit log in one line, with the images' hashes."""
    if "images" in stored:
        found = read_evidence(stored)
        seen = [_describe_hashes(found), describe_images(found)] if found else []
    else:
        counts = f"{stored['withoutImage']:,} of {stored['screenshots']:,} screenshots"
        seen = [f"{counts} without a look at what changed"]
    program = " ".join(filter(None, (stored["client"], stored["version"])))
    return show_bidi_controls("; ".join(filter(None, (program, *reversed(seen)))))


def _describe_hashes(found: Evidence) -> str:
    sides = {
        side: next((vars(image)[side] for image in found.images or () if vars(image)[side]), "")
        for side in ("before", "after")
    }
    return ", ".join(f"{side} {digest}" for side, digest in sides.items() if digest)
