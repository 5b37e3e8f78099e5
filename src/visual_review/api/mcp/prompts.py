"""Prompts: ready tasks for people to start in their client, each about one build."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW, BUILDS_VIEW
from visual_review.actions.wrong_ids import explain_wrong_id
from visual_review.api.mcp.prompt_texts import (
    EXPLAIN,
    EXPLAIN_PUBLISHED,
    REVIEW,
    REVIEW_PUBLISHED,
)
from visual_review.api.mcp.protocol import INVALID_PARAMS, ProtocolError
from visual_review.api.mcp.results import JsonObject, text_block
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.builds.queries import build_of
from visual_review.kernel.errors import NotFoundError

ARGUMENT: Final = "buildId"
SHOWN: Final = 80
# People copy the URL of a build's page.
_BUILD: Final = re.compile(r"(?:\S+/builds/)?(?P<id>build_[a-z0-9]{1,60})/?")


@dataclass(frozen=True)
class Prompt:
    """A prompt about a build; ``published`` is its text if only published tools are offered."""

    name: str
    title: str
    description: str
    permission: str
    text: str
    published: str

    def listed(self) -> JsonObject:
        argument = {
            "name": ARGUMENT,
            "title": "Build",
            "description": "The build's id, or the URL of its page.",
            "required": True,
        }
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [argument],
        }


PROMPTS: Final = (
    Prompt(
        "review_build",
        "Review a build",
        "Looks at every undecided change of a build, and approves or rejects each.",
        BUILDS_REVIEW,
        REVIEW,
        REVIEW_PUBLISHED,
    ),
    Prompt(
        "explain_rejections",
        "Explain rejections",
        "Explains to the author why changes of a build were rejected, and decides nothing.",
        BUILDS_VIEW,
        EXPLAIN,
        EXPLAIN_PUBLISHED,
    ),
)


def prompts_of(caller: Caller, selection: ToolSelection) -> list[JsonObject]:
    """Return the prompts with tools available to ``caller`` on the connection."""
    return [prompt.listed() for prompt in _offered(caller, selection)]


def read_prompt(
    caller: Caller, selection: ToolSelection, name: str, arguments: Mapping[str, Any]
) -> JsonObject:
    """Return the messages of a prompt; raises ProtocolError if prompt or build does not exist."""
    offered = list(_offered(caller, selection))
    prompt = next((each for each in offered if each.name == name), None)
    if prompt is None:
        raise _invalid(_describe_missing(name, caller, [each.name for each in offered]))
    build_id = _read_build_id(caller, arguments)
    text = prompt.text if selection.offers_extension("review") else prompt.published
    message = {"role": "user", "content": text_block(text.format(build=build_id))}
    return {"description": prompt.description, "messages": [message]}


def _offered(caller: Caller, selection: ToolSelection) -> list[Prompt]:
    if not selection.offers_toolset("review"):
        return []
    return [prompt for prompt in PROMPTS if caller.may(prompt.permission)]


def _describe_missing(name: str, caller: Caller, offered: list[str]) -> str:
    known = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if known is None:
        names = f"The prompts are {', '.join(offered)}." if offered else "This list has none."
        return f"There is no prompt '{name[:SHOWN]}'. {names}"
    if caller.may(known.permission):
        return f"The prompt '{name}' is not offered on this connection; its tools are not either."
    return f"The prompt '{name}' needs the permission '{known.permission}'."


def _read_build_id(caller: Caller, arguments: Mapping[str, Any]) -> str:
    unknown = next((name for name in arguments if name != ARGUMENT), None)
    if unknown is not None:
        raise _invalid(f"There is no argument '{unknown[:SHOWN]}'; '{ARGUMENT}' is the only one.")
    given = arguments.get(ARGUMENT)
    if not isinstance(given, str) or not given.strip():
        raise _invalid(f"The argument '{ARGUMENT}' is missing; it must be a string.")
    found = _BUILD.fullmatch(given.strip())
    build_id = found["id"] if found else given.strip()
    try:
        return build_of(caller.organization_id, build_id).id
    except NotFoundError as error:
        raise _invalid(str(explain_wrong_id({ARGUMENT: build_id}, error))) from error


def _invalid(message: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, message)
