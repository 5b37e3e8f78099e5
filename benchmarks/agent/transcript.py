"""Writes the calls of a review as Markdown, for the page "Review with an agent"; pure."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.agent.costs import Reply, ReviewCosts

BEGIN: Final = "<!-- transcript: python -m benchmarks.bench_agent small --transcript -->"
END: Final = "<!-- end of transcript -->"
SERVER: Final = "https://reviews.example.com"
BUILD: Final = "build_01jq3v8e6m5x0c2n9d4t7r1kzb"
_BUILD: Final = re.compile(r"build_[0-9a-z]{26}")
_URL: Final = re.compile(r"http://127\.0\.0\.1:\d+")
Exchange = tuple[str, dict[str, Any], Reply]


def format_transcript(exchanges: Sequence[Exchange], costs: ReviewCosts) -> str:
    """Return every call with its result; ids and URLs are the same as in the other examples."""
    lines = [BEGIN, ""]
    for (tool, arguments, reply), cost in zip(exchanges, costs.calls, strict=True):
        lines += _format_call(tool, arguments, reply)
        images = f" and {sum(cost.images):,} of images" if cost.images else ""
        lines += [f"{cost.sent + cost.text:,} tokens of text{images}.", ""]
    return _URL.sub(SERVER, _BUILD.sub(BUILD, "\n".join([*lines, END])))


def _format_call(tool: str, arguments: dict[str, Any], reply: Reply) -> Iterator[str]:
    yield from (f"`{tool}`", "", "```json")
    yield from (json.dumps(arguments, ensure_ascii=False), "```", "", "```text")
    yield reply.text
    yield from (f"[image: {image.width}x{image.height}]" for image in reply.images)
    yield from ("```", "")


def replace_transcript(page: Path, transcript: str) -> None:
    """Write the transcript between the markers of the page."""
    before, found, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"{page} has no place for a transcript: '{BEGIN}' and '{END}'.")
    page.write_text(before + transcript + after, encoding="utf-8")
