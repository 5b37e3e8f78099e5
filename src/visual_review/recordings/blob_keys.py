"""Blob keys of a recording's files, before and after processing; pure."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from visual_review.kernel.ids import ALPHABET, BODY_LENGTH

INCOMING: Final = "incoming"
STORED: Final = "recordings"
PART_DIGITS: Final = 6
TYPES: Final = {
    ".webm": "video/webm",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
}
UNKNOWN_TYPE: Final = "application/octet-stream"
_ID: Final = rf"[{ALPHABET}]{{{BODY_LENGTH}}}"
_INCOMING_KEY: Final = re.compile(
    rf"{INCOMING}/(org_{_ID})/(rec_{_ID})/([A-Za-z0-9_][A-Za-z0-9._-]*)", re.ASCII
)
_STORED_KEY: Final = re.compile(rf"{STORED}/(org_{_ID})/(rec_{_ID})/.+", re.ASCII)
_PART: Final = re.compile(rf"part-([0-9]{{{PART_DIGITS}}})", re.ASCII)
_SUFFIX: Final = re.compile(r"\.[a-z0-9]{1,8}", re.ASCII)


@dataclass(frozen=True)
class IncomingKey:
    """The key of an uploaded file; ``name`` is the name of a part, or an attachment's id."""

    organization_id: str
    recording_id: str
    name: str

    @property
    def key(self) -> str:
        return f"{incoming_folder(self.organization_id, self.recording_id)}/{self.name}"

    @property
    def part_number(self) -> int | None:
        match = _PART.fullmatch(self.name)
        return int(match[1]) if match else None


def parse_incoming_key(key: str) -> IncomingKey | None:
    """Return the parts of an upload's key; None for any other key."""
    match = _INCOMING_KEY.fullmatch(key)
    return IncomingKey(*match.groups()) if match else None


def owner_of_stored_key(key: str) -> tuple[str, str] | None:
    """Return the ids of the organization and the recording of a stored key."""
    match = _STORED_KEY.fullmatch(key)
    return (match[1], match[2]) if match else None


def incoming_folder(organization_id: str, recording_id: str) -> str:
    return f"{INCOMING}/{organization_id}/{recording_id}"


def stored_folder(organization_id: str, recording_id: str) -> str:
    return f"{STORED}/{organization_id}/{recording_id}"


def part_name(number: int) -> str:
    return f"part-{number:0{PART_DIGITS}}"


def suffix_of(file_name: str) -> str:
    """Return the extension in lower case, such as ``.webm``; empty if there is no simple one."""
    suffix = PurePosixPath(file_name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def stored_attachment_name(attachment_id: str, file_name: str) -> str:
    return f"{attachment_id}{suffix_of(file_name)}"


def content_type_of(name: str) -> str:
    """Return the content type served by the storage, by the extension of the name."""
    return TYPES.get(suffix_of(name), UNKNOWN_TYPE)
