"""Hooks that schemathesis loads: they put real IDs into the valid calls it generates."""

import json
import os
import random
from typing import Any

import schemathesis
from schemathesis import Case, GenerationMode, HookContext

# Existing IDs by property, set by the test that starts the run.
KNOWN: dict[str, list[str]] = json.loads(os.environ["VISUAL_REVIEW_KNOWN_IDS"])
# Calls that delete their target, with the property of the IDs that may be deleted.
DELETING = {
    "remove_repo": ("repoId", "spentRepoId"),
    "delete_recording": ("recordingId", "spentRecordingId"),
}
SHARE = 0.9
# The actions that were called with existing IDs: a few calls could all miss them by chance.
_called: set[str] = set()


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    """Use existing IDs in most calls; nearly all of them would return 404 otherwise.

    Invalid calls stay unchanged, since a real id could make them valid.
    """
    valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if not valid or not isinstance(case.body, dict):
        return
    body = dict(case.body)
    choose = random.Random(repr(body))
    share = SHARE if case.path in _called else 1.0
    _called.add(case.path)
    for name in body.keys() & KNOWN.keys():
        # A deleted row must not be one that other calls use, and a response may have named it.
        deleted = DELETING.get(case.path.rpartition("/")[2], ("", ""))
        deletes = name == deleted[0]
        if choose.random() < share or (deletes and body[name] in KNOWN[name]):
            body[name] = choose.choice(KNOWN[deleted[1] if deletes else name])
    case.body = body
