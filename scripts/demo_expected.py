"""Compare a build with EXPECTED.json, the description of the two states of the example."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from scripts.demo_folder import DemoError
from scripts.setup_example import EXAMPLE

LISTED: Final = ("changed", "new", "removed", "failed")
SHOWN: Final = 20

Shots = dict[tuple[str, str], str]


def read_expected() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((EXAMPLE / "EXPECTED.json").read_text(encoding="utf-8"))
    return document


def states_of(build: Mapping[str, Any]) -> Shots:
    """Return the diff state by story and variant."""
    return {
        (shot["storyId"], f"{shot['variant']['theme']}-{shot['variant']['device']}"): shot[
            "diffState"
        ]
        for shot in build["screenshots"]
    }


def check_first(build: Mapping[str, Any]) -> None:
    """Check that everything is new, except for the failing story."""
    document = read_expected()
    failing = _listed(document, "failed")
    states = states_of(build)
    wrong = [
        f"{story} {variant} is {state}"
        for (story, variant), state in sorted(states.items())
        if state != ("failed" if (story, variant) in failing else "new")
    ]
    stories = len({story for story, _ in states})
    if stories != document["totals"]["storiesBase"]:
        wrong.append(f"{stories} stories instead of {document['totals']['storiesBase']}")
    _raise_if_wrong(wrong)


def check_changed(build: Mapping[str, Any]) -> None:
    """Check that exactly the listed stories and variants differ, each as listed."""
    document = read_expected()
    states = states_of(build)
    want: Shots = {key: state for state in LISTED for key in _listed(document, state)}
    wrong = [
        f"{story} {variant} is {states.get((story, variant), 'absent')} instead of {state}"
        for (story, variant), state in sorted(want.items())
        if states.get((story, variant)) != state
    ]
    wrong += [
        f"{story} {variant} is {state} instead of unchanged"
        for (story, variant), state in sorted(states.items())
        if state != "unchanged" and (story, variant) not in want
    ]
    counts = Counter(states.values())
    wrong += [
        f"{counts[state]} are {state} instead of {document['totals'][state]}"
        for state in (*LISTED, "unchanged")
        if counts[state] != document["totals"][state]
    ]
    _raise_if_wrong(wrong)


def check_carried_over(build: Mapping[str, Any]) -> None:
    """Check that every difference and the build carry over earlier approvals."""
    wrong = [
        f"{shot['storyId']} {shot['variant']} is {shot['diffState']} and not carried over"
        for shot in build["screenshots"]
        if shot["diffState"] != "unchanged"
        and (shot["decided"] or {}).get("source") != "carried_over"
    ]
    if build["reviewState"] != "approved":
        wrong.append(f"the build is {build['reviewState']} instead of approved")
    totals = read_expected()["totals"]
    counts = Counter(states_of(build).values())
    wrong += [
        f"{counts[state]} are {state} instead of {totals[state]}"
        for state in ("changed", "new", "removed", "unchanged")
        if counts[state] != totals[state]
    ]
    _raise_if_wrong(wrong)


def failing_story() -> str:
    """Return the one story with an exception in both states."""
    [story] = {story for story, _ in _listed(read_expected(), "failed")}
    return story


def _listed(document: Mapping[str, Any], state: str) -> set[tuple[str, str]]:
    entries: Iterable[Mapping[str, Any]] = document[state]
    return {(entry["storyId"], variant) for entry in entries for variant in entry["variants"]}


def _raise_if_wrong(wrong: list[str]) -> None:
    if wrong:
        more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        listed = "\n  ".join([*wrong[:SHOWN], *more])
        raise DemoError(f"The build differs from EXPECTED.json:\n  {listed}")
