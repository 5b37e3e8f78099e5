"""Hooks for schemathesis: real IDs in the valid calls it generates."""

import json
import os
import random
from collections import Counter
from typing import Any
from unicodedata import category

import schemathesis
from schemathesis import Case, GenerationMode, HookContext

from visual_review.accounts.invisible_characters import is_invisible

# Existing IDs by property, set by the test that starts the run.
KNOWN: dict[str, list[str]] = json.loads(os.environ["VISUAL_REVIEW_KNOWN_IDS"])
# Calls that delete their target, with the property of the IDs to delete.
DELETING = {
    "remove_repo": ("repoId", "spentRepoId"),
    "delete_recording": ("recordingId", "spentRecordingId"),
}
# Whether a joiner or a mark may stand in a full name depends on the neighboring characters, and
# ECMA 262 has no way to write characters beyond U+FFFF without a flag, so the patterns accept all
# of them.
NAME = "fullName"
SHARE = 0.9
NAMES = {"screenshots": "#1", "groups": "G1", "stories": "a"}
# Schemathesis warns of a phase in which no call of an action found its data. The first calls have
# existing IDs, because the few calls of a phase could all miss by chance.
CERTAIN = 4
_calls: Counter[tuple[str, str]] = Counter()


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    """Use existing IDs in most calls; nearly all others would return 404.

    Invalid calls stay unchanged, since a real id could make a call valid.
    """
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if not isinstance(case.body, dict):
        return
    body = {name: _visible(value) if name == NAME else value for name, value in case.body.items()}
    choose = random.Random(repr(body))
    phase = case.path, case.meta.phase.name.value
    _calls[phase] += 1
    share = SHARE if _calls[phase] > CERTAIN else 1.0
    for name in body.keys() & KNOWN.keys() - {"seen"}:
        # A deleted row must not be used by other calls, and a response may have named the row.
        deleted = DELETING.get(case.path.rpartition("/")[2], ("", ""))
        deletes = name == deleted[0]
        if choose.random() < share or (deletes and body[name] in KNOWN[name]):
            body[name] = choose.choice(KNOWN[deleted[1] if deletes else name])
    # The seen screenshots are of the very build.
    seen = [each for each in KNOWN["seen"] if each.startswith(f"{body.get('buildId')}:")]
    if "seen" in body and seen:
        body["seen"] = seen[0]
    for decision in body.get("decisions", ()):
        # Every compared build of the test has these names.
        for name, known in NAMES.items():
            if isinstance(decision, dict) and decision.get(name) and choose.random() < share:
                decision[name] = [known]
    case.body = body


def _visible(value: object) -> object:
    """Return a name of the same length with visible characters only."""
    if not isinstance(value, str):
        return value
    return "".join(
        "x" if is_invisible(each) or category(each)[0] == "M" else each for each in value
    )
