"""Loaded by schemathesis itself: real ids into the valid calls it makes up."""

import json
import os
import random
from typing import Any

import schemathesis
from schemathesis import Case, GenerationMode, HookContext

# Property -> ids that exist; written by the test that starts the run.
KNOWN: dict[str, list[str]] = json.loads(os.environ["VISUAL_REVIEW_KNOWN_IDS"])
SPENT = "remove_repo"
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
        # What is removed must not be what the other calls speak of.
        spent = name == "repoId" and case.path.endswith(SPENT)
        if choose.random() < SHARE:
            body[name] = choose.choice(KNOWN["spentRepoId"] if spent else KNOWN[name])
    case.body = body
