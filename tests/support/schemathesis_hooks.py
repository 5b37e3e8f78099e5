"""Loaded by schemathesis itself: real ids into the valid calls it makes up."""

import json
import os
import random
from typing import Any

import schemathesis
from schemathesis import Case, GenerationMode, HookContext

# Property -> ids that exist; written by the test that starts the run.
KNOWN: dict[str, list[str]] = json.loads(os.environ["VISUAL_REVIEW_KNOWN_IDS"])
# Calls that end what they name, with the ids that may go.
SPENT = {
    "remove_repo": ("repoId", "spentRepoId"),
    "delete_recording": ("recordingId", "spentRecordingId"),
}
SHARE = 0.9


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    """Name things that exist in most calls, or nearly all of them would end at 404.

    Invalid calls stay as they are, since a real id could make them valid.
    """
    valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if not valid or not isinstance(case.body, dict):
        return
    body = dict(case.body)
    choose = random.Random(repr(body))
    for name in body.keys() & KNOWN.keys():
        # What is removed must not be what the other calls speak of, and an answer may have told it.
        spent = SPENT.get(case.path.rpartition("/")[2], ("", ""))
        ends = name == spent[0]
        if choose.random() < SHARE or (ends and body[name] in KNOWN[name]):
            body[name] = choose.choice(KNOWN[spent[1] if ends else name])
    case.body = body
