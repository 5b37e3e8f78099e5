"""The fixed rule of the scripted reviewer: only texts are read, as by an agent, without the truth.

A script cannot judge a design. A change counts as intended if it recurs in other screenshots, only
moved a little or grew. All else is a defect.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

APPROVED, REJECTED = "approved", "rejected"
FARTHEST: Final = 8
LEAST_CONTRAST: Final = 3.0
ALARMING: Final = ("vanished", "became one color")
LONGEST_COMMENT: Final = 120
_GROUP: Final = re.compile(r'^G(?P<number>\d+) \((?P<size>alone|[\d,]+ alike)\): "(?P<name>.*?)"')
_STORY: Final = re.compile(r'^- (?P<story>"(?:[^"\\]|\\.)*"|\S+): (?P<members>#\d+ .*)$')
_MEMBER: Final = re.compile(r"#(\d+) (\w+)/(\w+)(?: \(([^()]*)\))?")
_COMMON: Final = re.compile(r"^each: (?P<facts>.*)$")
_CURSOR: Final = re.compile(r'with cursor "([^"]*)"')
_SEEN: Final = re.compile(r"^seen: (\S+)$", re.MULTILINE)
_CONTRAST: Final = re.compile(r"contrast dropped from [\d.]+ to (\d+\.\d+)")
_HARMLESS: Final = re.compile(
    r"content (?:in \S+ at \S+ |below y=[\d,]+ )?moved (?:\w+ )?by (?P<far>[\d,]+)(?: to "
    r"(?P<farther>[\d,]+))? px|(?:page )?[\d,]+ px (?:taller|wider|shorter|narrower)[a-z ]*|\d+x\d+"
    r"(?: to \d+x\d+)?"
)


@dataclass(frozen=True)
class SeenChange:
    """A change as described in the text of list_changes; ``alike`` counts the group."""

    number: int
    story: str
    variant: str
    group: int
    alike: int
    facts: str


def read_changes(text: str) -> list[SeenChange]:
    """Return the changes of one page of list_changes."""
    found: list[SeenChange] = []
    group, alike, name, common = 0, 1, "", ""
    for line in text.splitlines():
        if head := _GROUP.match(line):
            group, name, common = int(head["number"]), head["name"], ""
            alike = 1 if head["size"] == "alone" else int(head["size"].split()[0].replace(",", ""))
        elif shared := _COMMON.match(line):
            common = shared["facts"]
        elif story := _STORY.match(line):
            for number, theme, device, facts in _MEMBER.findall(story["members"]):
                all_facts = "; ".join(filter(None, (name, common, facts)))
                found.append(
                    SeenChange(
                        *(int(number), story["story"], f"{theme}/{device}"),
                        *(group, alike, all_facts),
                    )
                )
    return found


def read_cursor(text: str) -> str | None:
    """Return the cursor of the next page, if there is one."""
    found = _CURSOR.search(text)
    return found[1] if found else None


def read_seen(text: str) -> str:
    found = _SEEN.search(text)
    return found[1] if found else ""


def decide(change: SeenChange) -> str:
    """Return the decision on one change."""
    if is_alarming(change.facts):
        return REJECTED
    if change.alike > 1 or is_harmless(change.facts):
        return APPROVED
    return REJECTED


def is_alarming(facts: str) -> bool:
    """Return whether something vanished or is hardly readable: unwanted in every redesign."""
    return any(word in facts for word in ALARMING) or any(
        float(after) < LEAST_CONTRAST for after in _CONTRAST.findall(facts)
    )


def is_harmless(facts: str) -> bool:
    """Whether content only moved by a few pixels, or the page grew or shrank at an edge."""
    parts = [part for phrase in facts.split("; ") for part in phrase.split(" and ")]
    matches = [_HARMLESS.fullmatch(part) for part in parts]
    return all(
        found and _distance(found["farther"] or found["far"]) <= FARTHEST for found in matches
    )


def _distance(pixels: str | None) -> int:
    return int(pixels.replace(",", "")) if pixels else 0


def explain(change: SeenChange) -> str:
    """Return the comment of a rejection: the worst change."""
    return f"Only here: {change.facts.partition('; ')[0]}"[:LONGEST_COMMENT]


def choose_to_look_at(changes: Sequence[SeenChange], most_of_group: int) -> Iterator[SeenChange]:
    """Yield every change alone, and of each group the first few as examples."""
    seen: dict[int, int] = {}
    for change in changes:
        seen[change.group] = seen.get(change.group, 0) + 1
        if seen[change.group] <= most_of_group:
            yield change
